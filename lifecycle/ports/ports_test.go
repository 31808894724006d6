package ports_test

import (
	"net"
	"strconv"
	"testing"

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
}
