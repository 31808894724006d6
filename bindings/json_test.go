package bindings

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

func TestJSONEncode(t *testing.T) {
	for _, test := range []struct{ value, want string }{
		{`nil`, `null`},
		{`mur.json.null`, `null`},
		{`true`, `true`},
		{`1`, `1`},
		{`-0.5`, `-0.5`},
		{`1e21`, `1e+21`},
		{`2^53 - 1`, `9007199254740991`},
		{`"a\"\\\n\t\0ä</>"`, `"a\"\\\n\t\u0000ä</>"`},
		{`"\255"`, "\"\ufffd\""},
		{`{}`, `{}`},
		{`mur.json.array()`, `[]`},
		{`{ 1, "b", { } }`, `[1,"b",{}]`},
		{`{ b = 1, a = { 1 } }`, `{"a":[1],"b":1}`},
		{`{ 1, mur.json.null, 3 }`, `[1,null,3]`},
		{`mur.json.decode '{"a":[],"b":{},"c":[{}],"d":null}'`, `{"a":[],"b":{},"c":[{}],"d":null}`},
		{`{ x = { y = 1 } }, { pretty = true }`, "{\n  \"x\": {\n    \"y\": 1\n  }\n}"},
		{`{ {}, mur.json.array(), { 1 } }, { indent = 1 }`, "[\n {},\n [],\n [\n  1\n ]\n]"},
		{`{ 1 }, { indent = "\t" }`, "[\n\t1\n]"},
	} {
		printed(t, nil, "print(mur.json.encode("+test.value+"))", test.want)
	}
}

func TestJSONRefusesWhatItCannotWrite(t *testing.T) {
	for _, test := range []struct{ value, want string }{
		{`{ a = { print } }`, `bad_value cannot write value.a[1] as JSON: it is a function`},
		{`0/0`, `bad_value cannot write value as JSON: NaN is not a number that JSON has`},
		{`{ ["a b"] = 1/0 }`, `bad_value cannot write value["a b"] as JSON: +Inf is not a number that JSON has`},
		{`{ 1, nil, 3 }`, `bad_value cannot write value as JSON: it is a list with holes: 2 values up to [3]`},
		{`{ 1, a = 2 }`, `bad_value cannot write value as JSON: it has both the key "a" and numbered ones, so it is neither an object nor an array`},
		{`{ [1.5] = 1 }`, `bad_value cannot write value as JSON: it has the key 1.5 (a number)`},
		{`{ [true] = 1 }`, `bad_value cannot write value as JSON: it has the key true (a boolean)`},
		{`(function() local t = {} t.t = t return t end)()`, `bad_value cannot write value.t as JSON: it contains itself`},
		{`1, { prety = true }`, `usage unknown option 'prety' of 'mur.json.encode'; did you mean 'pretty'?`},
	} {
		printed(t, nil, "local ok, e = pcall(mur.json.encode, "+test.value+") print(e.kind, e.message)",
			strings.Replace(test.want, " ", "\t", 1))
	}
}

func TestJSONTheSameTableTwiceIsNoCycle(t *testing.T) {
	printed(t, nil, `local t = { 1 } print(mur.json.encode { t, t })`, `[[1],[1]]`)
}

func TestJSONDecodeErrorsSayWhere(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, `1 1 a value expected, the text ends`},
		{`{"a":}`, `1 6 a value expected, got '}'`},
		{"{\n \"ä\": 1,\n}", `3 1 a name in double quotes expected, got '}'`},
		{`[1,]`, `1 4 a value expected, got ']'`},
		{`[1 2]`, `1 4 ',' or ']' expected, got '2'`},
		{`{"a" 1}`, `1 6 ':' expected, got '1'`},
		{`01`, `1 2 something follows the value`},
		{`1.`, `1 3 a digit expected, the text ends`},
		{`-`, `1 2 a digit expected, the text ends`},
		{`1e999`, `1 1 the number is too large`},
		{`nul`, `1 1 a value expected, got 'n'`},
		{`"a`, `1 3 a string is not closed`},
		{`"\x"`, `1 2 an escape that JSON does not have`},
		{"\"\t\"", `1 2 a control character inside a string: write it as \u0009`},
		{strings.Repeat("[", 300), `1 202 nested more than 200 deep`},
	} {
		source := "local ok, e = pcall(mur.json.decode, " + luaString(test.text) + ") print(e.kind, e.line, e.column, e.message)"
		line, rest, _ := strings.Cut(test.want, " ")
		column, what, _ := strings.Cut(rest, " ")
		printed(t, nil, source, "bad_json\t"+line+"\t"+column+"\tnot JSON at line "+line+", column "+column+": "+what)
	}
}

func TestJSONEmptyListsFromGoAreArrays(t *testing.T) {
	printed(t, nil, `print(mur.json.encode { found = mur.fs.list ".", names = mur.fs.glob "*" })`, `{"found":[],"names":[]}`)
}

func TestJSONNulls(t *testing.T) {
	printed(t, nil, `local d = mur.json.decode '{"a":null,"b":[null]}' print(d.a == mur.json.null, d.b[1] == mur.json.null)`, "true\ttrue")
	printed(t, nil, `local d = mur.json.decode('{"a":null,"b":[null]}', { drop_null = true }) print(d.a, d.b[1], #d.b)`, "nil\tfalse\t1")
}

// luaString writes any bytes as a Lua literal.
func luaString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		b.WriteString(`\` + string([]byte{'0' + s[i]/100, '0' + s[i]/10%10, '0' + s[i]%10}))
	}
	b.WriteByte('"')
	return b.String()
}

// What the standard library takes we take, with the same meaning, and nothing else.
func FuzzJSONDecode(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e3,true,null,"x\u00e4\ud83d\ude00\n"]}`, `[]`, `"\ud800"`, `-0`, `1e400`, `{"a":1,"a":2}`, "\"\xff\"", `[[[[`, "\u2028",
	} {
		f.Add(seed)
	}
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "[")+strings.Count(text, "{") > maxJSONDepth {
			return
		}
		value, err := decodeJSON(L, text, false)
		if (err == nil) != json.Valid([]byte(text)) {
			var want any
			if wrong := json.Unmarshal([]byte(text), &want); wrong == nil || err == nil {
				t.Fatalf("%q: %v, the standard library says %v", text, err, wrong)
			}
			return
		}
		if err != nil {
			return
		}
		again, err := encodeJSON(value, "")
		if err != nil {
			return // mixed or sparse tables cannot come from JSON, but keys that are empty lists can
		}
		if !strings.Contains(text, "[") && !reflect.DeepEqual(plain(t, text), plain(t, again)) {
			t.Fatalf("%q became %q", text, again)
		}
	})
}

func plain(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return value
}

func BenchmarkJSON(b *testing.B) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	text := `[` + strings.TrimSuffix(strings.Repeat(`{"name":"member","pid":12345,"tags":["a","b"],"ok":true},`, 1000), ",") + `]`
	b.Run("murlua", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := decodeJSON(L, text, false); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			var value any
			if err := json.Unmarshal([]byte(text), &value); err != nil {
				b.Fatal(err)
			}
		}
	})
	_ = engine.Null
}
