package bindings

import (
	"os"
	"testing"

	"murlua/lifecycle/keeper"
)

func TestMain(m *testing.M) {
	if code, handled := keeper.Main(os.Args); handled {
		os.Exit(code)
	}
	os.Exit(m.Run())
}
