package trace_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/id"
	"murlua/lifecycle/trace"
)

const session = id.Session("ses_0199c4e2f1b7712a9d3e4f5061728394")

func open(t testing.TB, dir string) *trace.Writer {
	t.Helper()
	w, err := trace.Open(dir, session)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

// kinds reads a trace and returns the kinds of its events.
func kinds(t testing.TB, path string) []string {
	t.Helper()
	events, err := trace.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range events {
		all = append(all, e.Kind)
	}
	return all
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	dir := t.TempDir()
	before := time.Now().Truncate(time.Millisecond)
	w := open(t, dir)
	if err := w.Write(trace.SessionStart, map[string]any{"formation_id": "frm_x", "formation_callees": []string{"coder"}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(trace.SessionEnd, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, trace.File)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}
	events, err := trace.Read(path)
	if err != nil || len(events) != 2 {
		t.Fatalf("Read gives %v, %v", events, err)
	}
	first := events[0]
	var callees []string
	if err := first.Decode("formation_callees", &callees); err != nil {
		t.Error(err)
	}
	if first.Kind != trace.SessionStart || first.Session != session || first.Text("formation_id") != "frm_x" || !cmp.Equal(callees, []string{"coder"}) || first.Time.Before(before) || time.Since(first.Time) > time.Minute {
		t.Errorf("the first event is %+v", first)
	}
	if first.Text("none") != "" || first.Text("formation_callees") != "" || first.Decode("formation_id", &callees) == nil {
		t.Error("fields of other types are taken")
	}
}

func TestALineHasMurmursKeys(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	if err := w.Write(trace.TaskEnd, map[string]any{"task_id": "tsk_1", "exit_status": "ok"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, trace.File))
	if err != nil {
		t.Fatal(err)
	}
	var line map[string]any
	if err := json.Unmarshal(text, &line); err != nil || !strings.HasSuffix(string(text), "}\n") {
		t.Fatalf("%q: %v", text, err)
	}
	if _, isNumber := line["timestamp"].(float64); !isNumber || line["event_type"] != "task_end" || line["session_id"] != string(session) || line["task_id"] != "tsk_1" {
		t.Errorf("the line is %s", text)
	}
}

// TestATraceThatWasCutIsReadAsFarAsItGoes cuts the last line at every byte, as a crash may.
func TestATraceThatWasCutIsReadAsFarAsItGoes(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	_ = w.Write(trace.SessionStart, nil)
	_ = w.Write(trace.TaskEnd, map[string]any{"task_id": "tsk_1"})
	path := filepath.Join(dir, trace.File)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := strings.IndexByte(string(whole), '\n') + 1
	for cut := first; cut <= len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := []string{trace.SessionStart}
		if cut >= len(whole)-1 { // the line end may be missing
			want = append(want, trace.TaskEnd)
		}
		if diff := cmp.Diff(want, kinds(t, path)); diff != "" {
			t.Fatalf("cut at byte %d of %d (-want +got):\n%s", cut, len(whole), diff)
		}
		again := open(t, dir)
		if err := again.Write(trace.SessionEnd, nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(append(want, trace.SessionEnd), kinds(t, path)); diff != "" {
			t.Fatalf("written on after a cut at byte %d (-want +got):\n%s", cut, diff)
		}
		_ = again.Close()
	}
}

func TestWritersDoNotMixTheirLines(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 100 {
				_ = w.Write(fmt.Sprintf("kind_%d", i), map[string]any{"text": strings.Repeat("x", 500)})
			}
		})
	}
	group.Wait()
	counts := map[string]int{}
	for _, kind := range kinds(t, filepath.Join(dir, trace.File)) {
		counts[kind]++
	}
	for i := range 8 {
		if counts[fmt.Sprintf("kind_%d", i)] != 100 {
			t.Errorf("counts %v", counts)
		}
	}
}

func TestForeignTraces(t *testing.T) {
	path := filepath.Join(t.TempDir(), trace.File)
	text := "\n{}\n[1]\nnull\n{\"event_type\":7}\n{\"event_type\":\"task_end\",\"timestamp\":\"x\"}\r\n\x00\n{\"event_type\":\"session_end\",\"timestamp\":1}"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"task_end", "session_end"}, kinds(t, path)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	long := strings.Repeat(`{"event_type":"a","text":"`+strings.Repeat("x", 1000)+"\"}\n", 20_000) + "{\"event_type\":\"last\"}\n"
	if err := os.WriteFile(path, []byte(long), 0o600); err != nil {
		t.Fatal(err)
	}
	if all := kinds(t, path); len(all) < 10_000 || len(all) > 17_000 || all[len(all)-1] != "last" {
		t.Errorf("%d events of a long trace", len(all))
	}
	for name, path := range map[string]string{"missing": path + "x", "directory": filepath.Dir(path), "device": os.DevNull} {
		if events, err := trace.Read(path); err == nil {
			t.Errorf("%s: %v", name, events)
		}
	}
}

func TestANilWriterWritesNowhere(t *testing.T) {
	var w *trace.Writer
	if w.Write(trace.SessionStart, nil) != nil || w.Close() != nil {
		t.Error("a nil Writer fails")
	}
}
