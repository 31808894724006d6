package ports_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/home"
	"murlua/lifecycle/ports"
)

func TestNoPortIsHandedOutTwice(t *testing.T) {
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// Two books exclude each other as two processes do.
	var books [2]ports.Book
	seen := map[int]bool{}
	for i := range 200 {
		number, err := books[i%2].Take(h)
		if err != nil {
			t.Fatal(err)
		}
		if seen[number] {
			t.Fatalf("port %d was handed out twice", number)
		}
		seen[number] = true
		listener, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(number))
		if err != nil {
			t.Errorf("port %d is not free: %v", number, err)
			continue
		}
		listener.Close()
	}
	for i := range books {
		books[i].Close()
	}
	if left := files(t, h); len(left) > 0 {
		t.Errorf("the ports were given back, and left %v", left)
	}
}

// What a process that was killed held goes with the next port; what is held, and what is no port's, stays.
func TestFilesThatNobodyHoldsAreRemoved(t *testing.T) {
	h, err := home.Resolve(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var holder, other ports.Book
	defer holder.Close()
	defer other.Close()
	number, err := holder.Take(h)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{strconv.Itoa(number), "notes"}
	for _, name := range []string{"20001", "20002", "notes"} {
		if err := os.WriteFile(filepath.Join(h.Path(), "ports", name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	second, err := other.Take(h)
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, strconv.Itoa(second))
	slices.Sort(want)
	if diff := cmp.Diff(want, files(t, h)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func files(t *testing.T, h home.Home) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(h.Path(), "ports"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
