package running

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func init() {
	roles["first-thread-ends"] = func() {
		fmt.Println("ready")
		// Only the first thread ends; the others of the run-time system go on.
		_, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
	}
}

// The letter in its stat is that of a zombie, and it runs.
func TestASessionWhoseFirstThreadEndedIsListed(t *testing.T) {
	h, child := newHome(t), start(t, "first-thread-ends")
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child.pid()))
		if err != nil {
			t.Fatal(err)
		}
		if _, after, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(after, "Z") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("its first thread did not end")
		}
	}
	identity := child.identity(t)
	for name, record := range map[string]Record{"as murmur writes it": plain(identity), "as written here": ours(identity)} {
		record.URL = ""
		record = write(t, h, record)
		if got := (Verifier{}).Verify(t.Context(), record); got != (Liveness{State: Live}) {
			t.Errorf("%s: %+v", name, got)
		}
		if got, err := Find(h, string(record.SessionID)); err != nil || got.PID != child.pid() || !exists(record.Path) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
