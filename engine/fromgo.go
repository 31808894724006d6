package engine

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"strings"
	"time"
	"unicode"

	lua "github.com/yuin/gopher-lua"
)

// maxDepth is how deep converted values may be nested; deeper ones are cycles or mistakes.
const maxDepth = 100

// FromGo converts a Go value to Lua: nil, booleans, numbers, strings, byte slices, maps (string or number keys),
// slices, pointers, structs, functions and errors; a duration becomes seconds and a time seconds since 1970. A struct
// becomes a table whose keys are the lua or json tags of its exported fields, else their names in snake_case; "-"
// leaves a field out and ",omitempty" leaves it out when zero. A Lua value passes through. Null becomes the null
// sentinel of JSON.
func FromGo(L *lua.LState, value any) (lua.LValue, error) { return fromGo(L, value, 0) }

func fromGoAll(L *lua.LState, values []any) ([]lua.LValue, error) {
	if len(values) == 0 {
		return nil, nil
	}
	converted := make([]lua.LValue, len(values))
	for i, v := range values {
		lv, err := fromGo(L, v, 0)
		if err != nil {
			return nil, err
		}
		converted[i] = lv
	}
	return converted, nil
}

func fromGo(L *lua.LState, value any, depth int) (lua.LValue, error) {
	if depth > maxDepth {
		return nil, Errorf(KindLimit, "cannot convert a value nested more than %d deep", maxDepth)
	}
	switch v := value.(type) {
	case nil:
		return lua.LNil, nil
	case lua.LValue:
		return v, nil
	case string:
		return lua.LString(v), nil
	case bool:
		return lua.LBool(v), nil
	case int:
		return lua.LNumber(v), nil
	case float64:
		return lua.LNumber(v), nil
	case []byte:
		return lua.LString(v), nil
	case time.Duration:
		return lua.LNumber(v.Seconds()), nil
	case time.Time:
		if v.IsZero() {
			return lua.LNil, nil
		}
		return lua.LNumber(float64(v.UnixNano()) / 1e9), nil
	case json.Number:
		f, err := v.Float64()
		return lua.LNumber(f), err
	case NullValue, *NullValue:
		return Null, nil
	case Function:
		return L.NewFunction(threadOf(L).host.wrap("function", v)), nil
	case func(*Call) error:
		return L.NewFunction(threadOf(L).host.wrap("function", v)), nil
	case lua.LGFunction:
		return L.NewFunction(v), nil
	case *Task:
		return threadOf(L).host.taskObject(v), nil
	case error:
		return threadOf(L).host.errorValue(L, v), nil
	case Boxed:
		return threadOf(L).host.box(v.Type, v.Value), nil
	}
	return fromReflect(L, reflect.ValueOf(value), depth)
}

func fromReflect(L *lua.LState, v reflect.Value, depth int) (lua.LValue, error) {
	switch v.Kind() {
	case reflect.Bool:
		return lua.LBool(v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return lua.LNumber(v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return lua.LNumber(v.Uint()), nil
	case reflect.Float32, reflect.Float64:
		return lua.LNumber(v.Float()), nil
	case reflect.String:
		return lua.LString(v.String()), nil
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return lua.LNil, nil
		}
		return fromGo(L, v.Elem().Interface(), depth+1)
	case reflect.Slice, reflect.Array:
		t := L.CreateTable(v.Len(), 0)
		if v.Len() == 0 {
			MarkList(L, t) // else it would be told from an empty object by nothing
		}
		for i := range v.Len() {
			item, err := fromGo(L, v.Index(i).Interface(), depth+1)
			if err != nil {
				return nil, err
			}
			t.RawSetInt(i+1, item)
		}
		return t, nil
	case reflect.Map:
		return fromMap(L, v, depth)
	case reflect.Struct:
		return fromStruct(L, v, depth)
	}
	return nil, Errorf(KindInternal, "cannot convert a Go %s to Lua", v.Type())
}

func fromMap(L *lua.LState, v reflect.Value, depth int) (lua.LValue, error) {
	t := L.CreateTable(0, v.Len())
	keys := v.MapKeys() // sorted, so that the order in which Lua sees them is the same each time
	sort.Slice(keys, func(i, j int) bool { return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j]) })
	for _, k := range keys {
		key, err := fromGo(L, k.Interface(), depth+1)
		if err != nil {
			return nil, err
		}
		item, err := fromGo(L, v.MapIndex(k).Interface(), depth+1)
		if err != nil {
			return nil, err
		}
		t.RawSet(key, item)
	}
	return t, nil
}

func fromStruct(L *lua.LState, v reflect.Value, depth int) (lua.LValue, error) {
	t := L.NewTable()
	for _, f := range structFields(v.Type()) {
		field := v.FieldByIndex(f.index)
		if f.omitEmpty && field.IsZero() {
			continue
		}
		item, err := fromGo(L, field.Interface(), depth+1)
		if err != nil {
			return nil, err
		}
		t.RawSetString(f.name, item)
	}
	return t, nil
}

// structField is a field of a struct as Lua sees it.
type structField struct {
	name      string
	index     []int
	omitEmpty bool
}

func structFields(t reflect.Type) []structField {
	var fields []structField
	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous && f.Type.Kind() == reflect.Struct {
			continue
		}
		tag, ok := f.Tag.Lookup("lua")
		if !ok {
			tag = f.Tag.Get("json")
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "-" {
			continue
		}
		if name == "" {
			name = snakeCase(f.Name)
		}
		fields = append(fields, structField{name: name, index: f.Index, omitEmpty: strings.Contains(options, "omitempty")})
	}
	return fields
}

// snakeCase turns ReadyWithin into ready_within and FormationID into formation_id.
func snakeCase(name string) string {
	var b strings.Builder
	runes := []rune(name)
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

const listMark = "__list"

// MarkList makes IsList true of a table also when it is empty.
func MarkList(L *lua.LState, table *lua.LTable) {
	t, inHost := L.Context().(*thread)
	if inHost && t.host.listMeta != nil {
		table.Metatable = t.host.listMeta
		return
	}
	meta := L.NewTable()
	meta.RawSetString(listMark, lua.LTrue)
	if inHost {
		t.host.listMeta = meta
	}
	table.Metatable = meta
}

// IsList says whether a table was marked as a list: by [MarkList], or by [FromGo], which marks empty ones.
func IsList(table *lua.LTable) bool {
	meta, ok := table.Metatable.(*lua.LTable)
	return ok && meta.RawGetString(listMark) == lua.LTrue
}

// NullValue is JSON's null, which a Lua table cannot hold as nil.
type NullValue struct{}

// Null is the Lua value for JSON's null: one value, the same in all hosts, that nothing changes.
var Null lua.LValue = &lua.LUserData{Value: NullValue{}, Metatable: lua.LNil}
