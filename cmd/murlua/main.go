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
