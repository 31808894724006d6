package process

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

func TestReleaseProgramLetsGoOfWhatTheStartNeeded(t *testing.T) {
	before := residentFile(t)
	ReleaseProgram()
	after := residentFile(t)
	if after >= before {
		t.Errorf("%d kB of the program were mapped, and then %d kB", before, after)
	}
}

// residentFile is how much of files is mapped, in kB.
func residentFile(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssFile:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		t.Skip("this kernel does not say what is mapped of files")
	}
	n, _ := strconv.Atoi(string(found[1]))
	return n
}
