// The runtime does not look for a processor limit: it would take a noticeable part of the start, twice, and this program
// mostly waits.
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0

package main

import (
	"os"

	"murlua/lifecycle/keeper"
)

func main() {
	// The process that keeps members is this program too, started by it.
	if code, handled := keeper.Main(os.Args); handled {
		os.Exit(code)
	}
	os.Exit(run(newOutside()))
}
