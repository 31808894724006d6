package listener_test

import (
	"net"
	"os"
	"testing"

	"murlua/platform/listener"

	"github.com/google/go-cmp/cmp"
)

func TestHoldersNamesWhoListens(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0", ":0"} {
		socket, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		port := socket.Addr().(*net.TCPAddr).Port
		comm, err := os.ReadFile("/proc/self/comm")
		if err != nil {
			t.Fatal(err)
		}
		want := []listener.Process{{PID: os.Getpid(), Name: string(comm[:len(comm)-1])}}
		if diff := cmp.Diff(want, listener.Holders(port)); diff != "" {
			t.Errorf("%s: -want +got\n%s", address, diff)
		}
		if err := socket.Close(); err != nil {
			t.Fatal(err)
		}
		if left := listener.Holders(port); left != nil {
			t.Errorf("%s: nobody listens any more, got %v", address, left)
		}
	}
}
