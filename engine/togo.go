package engine

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine/numeral"
)

// ToGo converts a Lua value into what target points to, the reverse of [FromGo]: structs by their tags (a key that
// the struct has no field for is an error that names the nearest one), maps, slices, pointers, numbers (a duration
// is read as seconds), strings, booleans, Lua values as they are, and any as by [ToAny].
func ToGo(value lua.LValue, target any) error {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return Errorf(KindInternal, "cannot convert to a %T: a pointer is needed", target)
	}
	return toGo(value, v.Elem(), "", 0)
}

// ToAny converts a Lua value to the plainest Go value: nil, bool, float64, string, []any for a table whose keys are
// 1..n, map[string]any for other tables (an empty table is an empty map), NullValue for null, the error of an error
// object, and the Go value of a value of a [Type].
func ToAny(value lua.LValue) (any, error) { return toAny(value, 0) }

var (
	durationType = reflect.TypeFor[time.Duration]()
	luaValueType = reflect.TypeFor[lua.LValue]()
)

func toGo(value lua.LValue, v reflect.Value, path string, depth int) error {
	if depth > maxDepth {
		return Errorf(KindLimit, "cannot convert a table nested more than %d deep", maxDepth)
	}
	if v.Type() == luaValueType {
		v.Set(reflect.ValueOf(value))
		return nil
	}
	if reflect.TypeOf(value).AssignableTo(v.Type()) && v.Kind() != reflect.Interface {
		v.Set(reflect.ValueOf(value))
		return nil
	}
	if value == lua.LNil {
		v.SetZero()
		return nil
	}
	switch v.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		if err := toGo(value, fresh.Elem(), path, depth+1); err != nil {
			return err
		}
		v.Set(fresh)
		return nil
	case reflect.Interface:
		plain, err := toAny(value, depth)
		if err != nil {
			return err
		}
		if !reflect.TypeOf(plain).AssignableTo(v.Type()) {
			return mismatch(path, v.Type().String(), value)
		}
		v.Set(reflect.ValueOf(plain))
		return nil
	case reflect.Struct, reflect.Map, reflect.Slice:
		if s, ok := value.(lua.LString); ok && v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(s))
			return nil
		}
		table, ok := value.(*lua.LTable)
		if !ok {
			return mismatch(path, "table", value)
		}
		return tableToGo(table, v, path, depth)
	}
	return scalarToGo(value, v, path)
}

func tableToGo(table *lua.LTable, v reflect.Value, path string, depth int) error {
	switch v.Kind() {
	case reflect.Struct:
		return structToGo(table, v, path, depth)
	case reflect.Slice:
		return sliceToGo(table, v, path, depth)
	}
	m := reflect.MakeMap(v.Type())
	var failed error
	table.ForEach(func(key, value lua.LValue) {
		if failed != nil {
			return
		}
		k, item := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if failed = toGo(key, k, join(path, "key"), depth+1); failed == nil {
			if failed = toGo(value, item, join(path, key.String()), depth+1); failed == nil {
				m.SetMapIndex(k, item)
			}
		}
	})
	v.Set(m)
	return failed
}

func sliceToGo(table *lua.LTable, v reflect.Value, path string, depth int) error {
	n := table.Len()
	extra := lua.LValue(nil)
	table.ForEach(func(key, _ lua.LValue) {
		if f, ok := key.(lua.LNumber); !ok || f < 1 || int(f) > n {
			extra = key
		}
	})
	if extra != nil {
		return fmt.Errorf("%slist expected, got a table with the key %q", prefix(path), extra.String())
	}
	list := reflect.MakeSlice(v.Type(), n, n)
	for i := range n {
		if err := toGo(table.RawGetInt(i+1), list.Index(i), fmt.Sprintf("%s[%d]", path, i+1), depth+1); err != nil {
			return err
		}
	}
	v.Set(list)
	return nil
}

func structToGo(table *lua.LTable, v reflect.Value, path string, depth int) error {
	fields := structFields(v.Type())
	byName := make(map[string]structField, len(fields))
	names := make([]string, len(fields))
	for i, f := range fields {
		byName[f.name], names[i] = f, f.name
	}
	var failed error
	table.ForEach(func(key, value lua.LValue) {
		if failed != nil {
			return
		}
		name := key.String()
		f, ok := byName[name]
		if !ok {
			failed = unknownKey(join(path, name), name, names)
			return
		}
		failed = toGo(value, v.FieldByIndex(f.index), join(path, name), depth+1)
	})
	return failed
}

func unknownKey(path, name string, known []string) error {
	e := &Error{Kind: KindUsage, Message: fmt.Sprintf("unknown key '%s'", path)}
	if near := Nearest(name, known); near != "" {
		e.Hint = fmt.Sprintf("did you mean '%s'?", near)
		e.Message += "; " + e.Hint
	} else {
		e.Hint = "the keys are " + strings.Join(known, ", ")
	}
	return e
}

func scalarToGo(value lua.LValue, v reflect.Value, path string) error {
	switch v.Kind() {
	case reflect.String:
		if s, ok := value.(lua.LString); ok {
			v.SetString(string(s))
			return nil
		}
		if f, ok := value.(lua.LNumber); ok {
			v.SetString(numeral.Text(float64(f)))
			return nil
		}
		return mismatch(path, "string", value)
	case reflect.Bool:
		b, ok := value.(lua.LBool)
		if !ok {
			return mismatch(path, "boolean", value)
		}
		v.SetBool(bool(b))
		return nil
	}
	f, ok := toNumber(value)
	if !ok {
		return mismatch(path, "number", value)
	}
	switch {
	case v.Type() == durationType:
		d, err := seconds(f)
		if err != nil {
			return fmt.Errorf("%s%w", prefix(path), err)
		}
		v.SetInt(int64(d))
		return nil
	case v.CanFloat():
		v.SetFloat(f)
		return nil
	case f != math.Trunc(f):
		return fmt.Errorf("%swhole number expected, got %s", prefix(path), numeral.Text(f))
	case v.CanInt() && math.Abs(f) <= 1<<53 && !v.OverflowInt(int64(f)):
		v.SetInt(int64(f))
		return nil
	case v.CanUint() && f >= 0 && f <= 1<<53 && !v.OverflowUint(uint64(f)):
		v.SetUint(uint64(f))
		return nil
	case v.CanInt() || v.CanUint():
		return fmt.Errorf("%s%s is out of range", prefix(path), numeral.Text(f))
	}
	return Errorf(KindInternal, "cannot convert a Lua %s to a Go %s", value.Type(), v.Type())
}

func mismatch(path, want string, got lua.LValue) error {
	return fmt.Errorf("%s%s expected, got %s", prefix(path), want, typeName(got))
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func prefix(path string) string {
	if path == "" {
		return ""
	}
	return "'" + path + "': "
}

func toAny(value lua.LValue, depth int) (any, error) {
	if depth > maxDepth {
		return nil, Errorf(KindLimit, "cannot convert a table nested more than %d deep", maxDepth)
	}
	switch v := value.(type) {
	case *lua.LNilType:
		return nil, nil
	case lua.LBool:
		return bool(v), nil
	case lua.LNumber:
		return float64(v), nil
	case lua.LString:
		return string(v), nil
	case *lua.LTable:
		return tableToAny(v, depth)
	case *lua.LUserData:
		switch held := v.Value.(type) {
		case NullValue:
			return held, nil
		case *boxed:
			return held.value, nil
		case *raisedError:
			return &objectError{object: v, raised: held}, nil
		}
	}
	return nil, fmt.Errorf("cannot convert a %s", typeName(value))
}

func tableToAny(table *lua.LTable, depth int) (any, error) {
	n, keys := table.Len(), 0
	table.ForEach(func(lua.LValue, lua.LValue) { keys++ })
	if n > 0 && n == keys {
		list := make([]any, n)
		for i := range list {
			item, err := toAny(table.RawGetInt(i+1), depth+1)
			if err != nil {
				return nil, err
			}
			list[i] = item
		}
		return list, nil
	}
	m := make(map[string]any, keys)
	var failed error
	table.ForEach(func(key, value lua.LValue) {
		if failed != nil {
			return
		}
		if !lua.LVCanConvToString(key) {
			failed = fmt.Errorf("cannot convert a table with a %s as a key", typeName(key))
			return
		}
		m[lua.LVAsString(key)], failed = toAny(value, depth+1)
	})
	return m, failed
}
