//go:build unix

package handle

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"murlua/lifecycle/keeper"
)

func TestMain(m *testing.M) {
	if code, handled := keeper.Main(os.Args); handled {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}
