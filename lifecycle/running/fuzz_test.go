package running

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecode holds the reader to encoding/json: the same texts are values, and what it reads is what
// encoding/json reads under the same keys.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		smallestText, fullestText, nineKeys, `{"session_id": "x"}`, "{}", "[]", "null", "",
		strings.Replace(smallestText, `"localhost:1"`, "null", 1),
		strings.Replace(smallestText, "demo", `\ud83d\ude00\n\"`, 1),
		strings.Replace(smallestText, `"pid": 7`, `"pid": 4294967295, "x": [{"a": "}"}, 1.5e-3, null]`, 1),
		strings.Replace(smallestText, `"pid"`, `"p\u0069d"`, 1),
		strings.Repeat("[", 300) + strings.Repeat("]", 300),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		record, older, err := decode(text)
		if !json.Valid(text) || !utf8.Valid(text) {
			if err == nil || older {
				t.Fatalf("%q is not JSON in UTF-8 and gives %+v", text, record)
			}
			return
		}
		if err != nil {
			return
		}
		var plain map[string]any
		if err := json.Unmarshal(text, &plain); err != nil {
			t.Fatalf("%q is an object to us: %v", text, err)
		}
		for key, got := range map[string]any{
			"session_id": string(record.SessionID), "pid": float64(record.PID), "process_start": record.ProcessStart,
			"capsule_name": record.CapsuleName, "workdir": record.Workdir, "outlives_launcher": record.OutlivesLauncher,
		} {
			if plain[key] != got {
				t.Errorf("%s is %v, want %v", key, got, plain[key])
			}
		}
		if _, there := plain["records_dir"]; older == there {
			t.Errorf("older is %v of %q", older, text)
		}
		encoded, err := Encode(record)
		if err != nil {
			return // it cannot be written, such as with pid 0
		}
		again, err := Decode(encoded)
		if err != nil {
			t.Fatalf("%s: %v", encoded, err)
		}
		if diff := cmp.Diff(record, again, secrets); diff != "" {
			t.Error(diff)
		}
	})
}
