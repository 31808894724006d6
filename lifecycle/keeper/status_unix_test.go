//go:build unix

package keeper

import "testing"

func TestStatusTellsExitsFromSignals(t *testing.T) {
	for wait, want := range map[uint32]Status{
		0:         {},
		42 << 8:   {Code: 42},
		255 << 8:  {Code: 255},
		9:         {Code: -1, Signal: 9},
		11 | 0x80: {Code: -1, Signal: 11, Core: true},
		0x7f << 8: {Code: 127},
	} {
		if got := statusOf(wait); got != want {
			t.Errorf("statusOf(%#x) = %+v, want %+v", wait, got, want)
		}
	}
}
