package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"murlua/bindings"
	"murlua/lifecycle/home"
	"murlua/lifecycle/member"
)

// capsuleFlags are what murmur gives to `mur run` for a member of a formation, and --script.
type capsuleFlags struct {
	Capsule           string  `help:"Run the capsule of this name." placeholder:"NAME"`
	CapsuleVersion    string  `help:"The version it must have." placeholder:"VERSION"`
	CapsuleSHA256     string  `name:"capsule-sha256" help:"The hash that its script or artifact must have." placeholder:"HEX"`
	Script            string  `help:"Its Lua script." placeholder:"PATH"`
	Workdir           string  `help:"Its working folder." placeholder:"DIR"`
	StoreRoot         string  `help:"The project's folder." placeholder:"DIR"`
	Bind              string  `help:"The address of its door." default:"127.0.0.1" placeholder:"ADDRESS"`
	ReadinessTokens   bool    `help:"Put the door's tokens on the readiness line."`
	Task              *string `help:"The task of an entry." placeholder:"TEXT"`
	TaskAcceptance    string  `name:"lifecycle-task-acceptance" help:"Whether it takes one task or any." enum:",single,queue" default:"" placeholder:"MODE"`
	AfterTask         string  `name:"lifecycle-after-task" help:"What it does after a task." enum:",exit,sleep" default:"" placeholder:"MODE"`
	NoEnvFile         bool    `help:"Do not read .env."`
	Containment       string  `help:"The containment class that is demanded." enum:",advisory,scoped,sealed" default:"" placeholder:"CLASS"`
	InheritedDeadline int64   `help:"When it ends at the latest, in milliseconds of Unix time." placeholder:"MILLISECONDS"`
}

func (c *runCommand) flags() member.Flags {
	flags := member.Flags{
		Capsule: c.Capsule, Version: c.CapsuleVersion, SHA256: c.CapsuleSHA256, Script: c.Script,
		Workdir: c.Workdir, StoreRoot: c.StoreRoot, Bind: c.Bind,
		JSON: c.JSON, ReadinessTokens: c.ReadinessTokens, Verbose: c.Verbose, NoEnvFile: c.NoEnvFile, Containment: c.Containment,
		Single: c.TaskAcceptance == "single", Exit: c.AfterTask == "exit", Task: c.Task,
	}
	if c.InheritedDeadline > 0 {
		flags.Deadline = time.UnixMilli(c.InheritedDeadline)
	}
	return flags
}

func (c *runCommand) runCapsule(_ context.Context, o *outside) error {
	h, err := home.Resolve(o.getenv("HOME"))
	if err != nil {
		return err
	}
	flags := c.flags()
	if err := o.handOver(flags, h); err != nil {
		return err
	}
	if flags.Containment == "scoped" || flags.Containment == "sealed" {
		return &member.Refusal{
			Code: "E-CAP-003", Message: fmt.Sprintf("--containment %s: a capsule written in Lua is not confined", flags.Containment),
			Hint: "what it may do is what its user may do; containment is of capsules that mur runs",
		}
	}
	folder := filepath.Dir(flags.Script)
	if flags.Script == "" {
		folder = cmp.Or(flags.StoreRoot, flags.Workdir, o.workdir)
	}
	world := o.world(folder)
	options := o.hostOptions(world, flags.Script, nil)
	// The session decides how it ends at a signal, within murmur's bounds; the script is stopped by its context.
	signals, stop := o.openSignals()
	defer stop()
	code, err := bindings.RunCapsule(context.Background(), bindings.CapsuleOptions{
		Member: member.Options{
			Environ: o.environ, Home: h, Flags: flags, Stdout: o.stdout, Stderr: o.stderr,
			Signals: signals, Exit: os.Exit,
		},
		World:  world,
		Host:   options,
		Prompt: o.promptOf(),
	})
	if err != nil {
		writeAll(o.stderr, describeError(err))
	}
	return exitError{code}
}

// murBinary is the program that runs murmur's capsules, by murmur's own rule.
func (o *outside) murBinary() string {
	if named := o.getenv("MURMUR_MUR_BINARY"); named != "" {
		return named
	}
	return "mur"
}
