package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"murlua/lifecycle/home"
	"murlua/lifecycle/member"
	"murlua/platform/process"
)

// mur is the program that an installed capsule without Lua is handed over to. MURMUR_MUR_BINARY does not count here:
// where a capsule is handed over, it names this program.
const mur = "mur"

// handOver becomes mur, with the command line as it is, when the capsule that the flags ask for is one that mur has to
// run. A launcher sees one and the same process, which holds what it was given. It returns nil when the capsule is not one
// of those, and an error when it is and there is no mur.
func (o *outside) handOver(flags member.Flags, h home.Home) error {
	if flags.Script != "" {
		return nil
	}
	_, err := flags.ReadCode(h)
	missing, ok := errors.AsType[*member.NoCodeError](err)
	if !ok || missing.Artifact == "" {
		return nil
	}
	err = process.Replace(mur, append([]string{mur}, o.args...), o.environ)
	return &hintedError{
		fmt.Errorf("%w: %w", missing, err),
		"a capsule without Lua is run by mur, which has to be on PATH",
	}
}

// handOverUnread does so for a command line that this program does not understand: murmur's releases bring flags for
// what is murmur's alone, such as a delegated child's.
func (o *outside) handOverUnread() error {
	flags := member.Flags{
		Capsule: flagValue(o.args, "--capsule"), Version: flagValue(o.args, "--capsule-version"),
		Script: flagValue(o.args, "--script"), StoreRoot: flagValue(o.args, "--store-root"), Workdir: flagValue(o.args, "--workdir"),
	}
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil || len(o.args) == 0 || o.args[0] != "run" || flags.Capsule == "" {
		return nil
	}
	return o.handOver(flags, h)
}

// flagValue finds the value of a flag, given as "--name value" or "--name=value"; "" when it is not there.
func flagValue(args []string, name string) string {
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
	}
	if at := slices.Index(args, name); at >= 0 && at+1 < len(args) {
		return args[at+1]
	}
	return ""
}
