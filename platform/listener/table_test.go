package listener

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:18F6 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0000000000000000 100 0 0 10 0
   1: 0100007F:18F6 0100007F:C001 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0000000000000000 20 4 30 10 -1
   2: 00000000:18F7 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0000000000000000 100 0 0 10 0
   3: 00000000000000000000000001000000:18F6 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 4714 1
   4: 0100007F 00000000:0000 0A 0 0 0 0 0 0 0
   5: 0100007F:ZZZZ 00000000:0000 0A 0 0 0 0 0 0 0
`

func TestInodes(t *testing.T) {
	for port, want := range map[int][]string{6390: {"4711", "4714"}, 6391: {"4713"}, 1: nil} {
		if diff := cmp.Diff(want, inodes(table, port)); diff != "" {
			t.Errorf("port %d: -want +got\n%s", port, diff)
		}
	}
}

func FuzzInodes(f *testing.F) {
	f.Add(table, 6390)
	f.Fuzz(func(t *testing.T, text string, port int) { inodes(text, port) })
}
