package running

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/credential"
	"murlua/platform/process"
)

const (
	sessionText   = "ses_0199c4e2f1b7712a9d3e4f5061728394"
	formationText = "frm_0199c4e2f1b7712a9d3e4f5061728394"
)

// secrets lets go-cmp see what a secret holds.
var secrets = cmp.Comparer(credential.Secret.Equal)

func smallest() Record {
	record := plain(process.Identity{PID: 7, Start: "42"})
	record.SessionID = sessionText
	return record
}

func fullest() Record {
	record := smallest()
	record.DoorToken = credential.NewSecret("mdt1.operator")
	record.Credentials = map[string]credential.Secret{"web": credential.NewSecret("mdt1.web"), "cli": credential.NewSecret("mdt1.cli")}
	record.FormationID, record.FormationMember = formationText, "lead"
	record.FormationEntry, record.FormationLifeline = true, true
	record.FormationLauncher = &process.Identity{PID: 6, Start: "41"}
	record.SpawnedBy, record.Unconfined = "ses_parent", true
	record.Containment = "cgroup"
	record.Origin = process.Origin{Boot: "b", Machine: "m", Host: "h", PIDNamespace: "pid:[1]", TimeNamespace: "time:[1]", Inode: "9", Start: "42", ReadAt: 5}
	return record
}

const smallestText = `{
  "session_id": "ses_0199c4e2f1b7712a9d3e4f5061728394",
  "url": "localhost:1",
  "pid": 7,
  "process_start": "42",
  "capsule_name": "demo",
  "capsule_version": "0.1.0",
  "workdir": "/tmp/demo",
  "records_dir": "/tmp/records",
  "outlives_launcher": true,
  "started_at": "2026-01-01T00:00:00Z"
}`

var fullestText = smallestText[:len(smallestText)-2] + `,
  "door_token": "mdt1.operator",
  "credentials": {
    "cli": "mdt1.cli",
    "web": "mdt1.web"
  },
  "formation_id": "frm_0199c4e2f1b7712a9d3e4f5061728394",
  "formation_member": "lead",
  "formation_entry": true,
  "formation_lifeline": true,
  "formation_launcher": {
    "pid": 6,
    "process_start": "41"
  },
  "spawned_by": "ses_parent",
  "unconfined": true,
  "containment": "cgroup",
  "process_origin": {
    "boot": "b",
    "machine": "m",
    "host": "h",
    "pid_namespace": "pid:[1]",
    "time_namespace": "time:[1]",
    "inode": "9",
    "start": "42",
    "read_at": 5
  }
}`

// nineKeys is what releases up to 0.4 wrote.
const nineKeys = `{
  "session_id": "ses_0199c4e2f1b7712a9d3e4f5061728394",
  "url": "127.0.0.1:1",
  "pid": 7,
  "process_start": "42",
  "capsule_name": "demo",
  "capsule_version": "0.1.0",
  "workdir": "/tmp/demo",
  "outlives_launcher": true,
  "started_at": "2026-01-01T00:00:00Z"
}`

func TestTheTextOfARecord(t *testing.T) {
	noDoor := smallest()
	noDoor.URL = ""
	odd := smallest()
	odd.Workdir, odd.CapsuleVersion = "/tmp/<a & b>/ü", "\x7f\"\\\n"
	for _, c := range []struct {
		name   string
		record Record
		want   string
	}{
		{"least", smallest(), smallestText},
		{"most", fullest(), fullestText},
		{"no door", noDoor, strings.Replace(smallestText, `"localhost:1"`, "null", 1)},
		{"odd characters", odd, strings.NewReplacer("/tmp/demo", "/tmp/<a & b>/ü", "0.1.0", "\x7f"+`\"\\\n`).Replace(smallestText)},
	} {
		text, err := Encode(c.record)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, string(text)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		back, err := Decode(text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.record, back, secrets); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestARecordThatNobodyCouldReadIsNotWritten(t *testing.T) {
	for name, change := range map[string]func(*Record){
		"no session":          func(r *Record) { r.SessionID = "" },
		"a session as a path": func(r *Record) { r.SessionID = "ses_../../etc" },
		"pid 0":               func(r *Record) { r.PID = 0 },
		"a pid too large":     func(r *Record) { r.PID = 1 << 31 },
		"no records_dir":      func(r *Record) { r.RecordsDir = "" },
		"formation_id":        func(r *Record) { r.FormationID = "frm_x" },
		"operator": func(r *Record) {
			r.Credentials = map[string]credential.Secret{"operator": credential.NewSecret("hidden")}
		},
		"workdir":    func(r *Record) { r.Workdir = "/tmp/\xff" },
		"door_token": func(r *Record) { r.DoorToken = credential.NewSecret("hidden\xff") },
	} {
		record := smallest()
		change(&record)
		if text, err := Encode(record); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v, %s", name, err, text)
		}
	}
}

func TestAnOlderReleasesRecordIsRead(t *testing.T) {
	record, err := Decode([]byte(nineKeys))
	if err != nil {
		t.Fatal(err)
	}
	want := smallest()
	want.URL, want.RecordsDir = "127.0.0.1:1", ""
	if diff := cmp.Diff(want, record, secrets); diff != "" {
		t.Error(diff)
	}
}

// with is the smallest record's text with one key set to, or, for "", freed of, a value.
func with(t testing.TB, key, value string) string {
	t.Helper()
	lines := strings.Split(smallestText, "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, `  "`+key+`":`) })
	last := len(lines) - 2
	lines[last] = strings.TrimSuffix(lines[last], ",")
	if value == "" {
		return strings.Join(lines, "\n")
	}
	return strings.Join(lines[:last+1], "\n") + fmt.Sprintf(",\n  %q: %s\n}", key, value)
}

func TestWhatIsAcceptedAsARecord(t *testing.T) {
	same := func(*Record) {}
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for _, c := range []struct {
		name, text string
		change     func(*Record)
	}{
		{"unknown keys", with(t, "nothing_we_know", `{"pid": [1, "}", {"a\"b": null}], "x": "\ud800"}`), same},
		{"unknown keys twice", strings.Replace(with(t, "a", "1"), `"a": 1`, `"a": 1, "a": 2`, 1), same},
		{"a deep unknown key", with(t, "a", deep), same},
		{"white space", " \t\r\n" + smallestText + " \n", same},
		{"an escaped key", strings.Replace(smallestText, `"pid"`, `"p\u0069d"`, 1), same},
		{"a pair of surrogates", with(t, "workdir", `"\ud83d\ude00"`), func(r *Record) { r.Workdir = "😀" }},
		{"no door", with(t, "url", "null"), func(r *Record) { r.URL = "" }},
		{"null door_token", with(t, "door_token", "null"), same},
		{"null formation_id", with(t, "formation_id", "null"), same},
		{"null formation_launcher", with(t, "formation_launcher", "null"), same},
		{"null spawned_by", with(t, "spawned_by", "null"), same},
		{"no credentials", with(t, "credentials", "{ }"), same},
		{"the largest pid", with(t, "pid", "4294967295"), func(r *Record) { r.PID = 1<<32 - 1 }},
		{"pid 0", with(t, "pid", "0"), func(r *Record) { r.PID = 0 }},
		{"no start", with(t, "process_start", `""`), func(r *Record) { r.ProcessStart = "" }},
		{"a launcher with more", with(t, "formation_launcher", `{"x": 1, "process_start": "a", "pid": 3}`), func(r *Record) {
			r.FormationLauncher = &process.Identity{PID: 3, Start: "a"}
		}},
		{"no lifeline", with(t, "formation_lifeline", "false"), same},
		{"a NUL in a name", with(t, "capsule_name", `"a\u0000b"`), func(r *Record) { r.CapsuleName = "a\x00b" }},
	} {
		want := smallest()
		c.change(&want)
		got, err := Decode([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(want, got, secrets); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestWhatIsNoRecord(t *testing.T) {
	texts := map[string]string{
		"nothing":                 "",
		"white space":             " \n",
		"null":                    "null",
		"an array":                "[" + smallestText + "]",
		"a string":                `"` + sessionText + `"`,
		"two values":              smallestText + "{}",
		"half":                    smallestText[:100],
		"a byte order":            "\ufeff" + smallestText,
		"Latin-1":                 strings.Replace(smallestText, "demo", "d\xe9mo", 1),
		"a NUL":                   smallestText + "\x00",
		"a raw NUL":               strings.Replace(smallestText, "demo", "d\x00mo", 1),
		"a comma too many":        strings.Replace(smallestText, "\n}", ",\n}", 1),
		"pid twice":               strings.Replace(smallestText, `"pid": 7`, `"pid": 7, "pid": 7`, 1),
		"pid twice, once escaped": strings.Replace(smallestText, `"pid": 7`, `"pid": 7, "p\u0069d": 7`, 1),
		"url twice":               strings.Replace(smallestText, `"pid"`, `"url": null, "pid"`, 1),
	}
	for _, key := range required {
		texts["no "+key] = with(t, key, "")
		texts["another case of "+key] = strings.Replace(smallestText, `"`+key+`"`, `"`+strings.ToUpper(key)+`"`, 1)
	}
	for key, values := range map[string][]string{
		"session_id":         {"null", "1", `"\ud800"`, `"ses_x"`},
		"url":                {"1", "[]", "{}"},
		"pid":                {"-1", "-0", "1.0", "1e3", `"7"`, "4294967296", "null", "true"},
		"process_start":      {"null", "42"},
		"capsule_name":       {"null", `"\udc00\ud800"`, `"\ud800x"`},
		"workdir":            {"null", "[]"},
		"records_dir":        {"null", "1"},
		"outlives_launcher":  {"null", "1", `"true"`},
		"started_at":         {"null", "1767225600"},
		"door_token":         {"1", "{}"},
		"credentials":        {"null", "[]", `{"a": 1}`, `{"a": null}`},
		"formation_id":       {`"frm_x"`, `" ` + formationText + `"`, `""`, "1"},
		"formation_member":   {"1"},
		"formation_entry":    {"null", "1"},
		"formation_lifeline": {"null", "0"},
		"formation_launcher": {"7", "[7, \"a\"]", `{"pid": 7}`, `{"process_start": "a"}`, `{"pid": 7, "process_start": null}`, `{"pid": -7, "process_start": "a"}`, `{"pid": 7, "pid": 7, "process_start": "a"}`},
		"spawned_by":         {"1"},
		"unconfined":         {"null", `"yes"`},
		"process_origin":     {"null", "1", `{"boot": 1}`},
	} {
		for _, value := range values {
			texts[key+" "+value] = with(t, key, value)
		}
	}
	for name, text := range texts {
		if record, err := Decode([]byte(text)); err == nil {
			t.Errorf("%s gives %+v", name, record)
		}
	}
}

// A record that was cut off anywhere is none, and not one of an older release either.
func TestATornRecordIsNone(t *testing.T) {
	for end := range fullestText {
		if record, older, err := decode([]byte(fullestText[:end])); err == nil || older || errors.As(err, new(unusable)) {
			t.Fatalf("the first %d bytes give %+v, %v, %v", end, record, older, err)
		}
	}
}

func TestTokensAreNotShown(t *testing.T) {
	record := fullest()
	shown := fmt.Sprintf("%v %+v %#v", record, record, record)
	text, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	if shown += string(text); strings.Contains(shown, "mdt1") {
		t.Errorf("a token is shown: %s", shown)
	}
	for _, text := range []string{with(t, "door_token", `{"x": "mdt1.hidden"}`), with(t, "credentials", `{"mdt1.hidden": 1}`), with(t, "pid", `"mdt1.hidden"`)} {
		if _, err := Decode([]byte(text)); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("the error is %v", err)
		}
	}
}

func TestTheLauncherIsOfTheRecordsPlace(t *testing.T) {
	if _, ok := smallest().Launcher(); ok {
		t.Error("a record that names no launcher has one")
	}
	launcher, ok := fullest().Launcher()
	want := process.Identity{PID: 6, Start: "41", Origin: fullest().Origin.WithoutProcess()}
	if !ok || launcher != want {
		t.Errorf("got %+v, %v", launcher, ok)
	}
}
