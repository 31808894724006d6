package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"

	"murlua/lifecycle/door"
	"murlua/lifecycle/id"
	"murlua/platform/process"
)

// standInCommand behaves as a member of a formation that does something wrong, or as a process that is hard to tell
// from another. Tests written in Lua start it; nobody types it.
type standInCommand struct {
	Args []string `arg:"" passthrough:"all"`
}

// ownSignals says that the command looks after signals itself: some stand-ins ignore them.
func (c *standInCommand) ownSignals() {}

func (c *standInCommand) run(ctx context.Context, o *outside) error {
	switch c.Args[0] {
	case "run":
		return standInCapsule(ctx, o, c.Args)
	case "sleeping", "zombie", "foreign":
		return standInProcess(o, c.Args[0])
	case "exit":
		return nil
	}
	return &usageError{"", fmt.Errorf("there is no stand-in %q", c.Args[0])}
}

// readiness is the line that a capsule reports with.
type readiness struct {
	FormationID string `json:"formation_id,omitempty"`
	Name        string `json:"name"`
	PID         int    `json:"pid"`
	SessionID   string `json:"session_id"`
	URL         string `json:"url"`
	Version     string `json:"version"`
	Workdir     string `json:"workdir"`
}

// standInCapsule takes a capsule's arguments. The capsule's name says how it behaves.
func standInCapsule(ctx context.Context, o *outside, args []string) error {
	value := func(flag string) string {
		if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
			return args[i+1]
		}
		return ""
	}
	session := id.NewSession()
	line := readiness{
		FormationID: o.getenv("MURMUR_FORMATION_ID"), Name: value("--capsule"), PID: os.Getpid(), SessionID: string(session),
		Version: value("--capsule-version"), Workdir: value("--workdir"),
	}
	ended, err := lifelineOf(o)
	if err != nil {
		return err
	}
	serves := session
	switch line.Name {
	case "silent":
		<-ended
		return nil
	case "crashing":
		writeAll(o.stderr, "this capsule crashes\n")
		return exitError{3}
	case "garbled":
		writeAll(o.stdout, "this is no readiness line\n")
		<-ended
		return nil
	case "lying":
		line.FormationID = string(id.NewFormation())
	case "doorless":
		return report(o, line, ended)
	case "impostor":
		serves = id.NewSession()
	case "fleeting":
		line.URL = "localhost:1" // nobody listens there
		_ = report(o, line, nil)
		return exitError{4}
	case "deaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		ended = make(chan struct{}) // never closed
	case "slow":
		timer := time.NewTimer(300 * time.Millisecond)
		<-timer.C
	}
	server, err := door.Serve(door.ServerOptions{
		Name: line.Name, Version: line.Version, Session: serves,
		OnTask: func(_ context.Context, task *door.Incoming) (string, error) {
			return line.Name + " heard: " + task.Message.Text, nil
		},
	})
	if err != nil {
		return err
	}
	defer server.Close(ctx)
	line.URL = server.URL()
	return report(o, line, ended)
}

// report writes the readiness line and stays until ended is closed; nil does not stay.
func report(o *outside, line readiness, ended <-chan struct{}) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	writeAll(o.stdout, string(text)+"\n")
	if ended != nil {
		<-ended
	}
	return nil
}

// lifelineOf returns what is closed when the formation ends, or at the first SIGTERM.
func lifelineOf(o *outside) (<-chan struct{}, error) {
	ended := make(chan struct{})
	number, err := strconv.Atoi(o.getenv("MURMUR_FORMATION_LIFELINE"))
	if err != nil {
		return nil, errors.New("a stand-in for a capsule needs the lifeline of a formation")
	}
	line := os.NewFile(uintptr(number), "lifeline")
	caught, _ := o.openSignals()
	closed := make(chan struct{})
	go func() { // ends with the lifeline
		_, _ = bufio.NewReader(line).ReadByte()
		close(closed)
	}()
	go func() { // ends with the stand-in
		select {
		case <-closed:
		case <-caught:
		}
		close(ended)
	}()
	return ended, nil
}

// standInProcess says who it is, or who its child is, and waits to be ended.
func standInProcess(o *outside, kind string) error {
	pid := os.Getpid()
	switch kind {
	case "zombie":
		child, err := os.StartProcess(o.executable, []string{o.executable, "stand-in", "exit"}, &os.ProcAttr{Env: o.environ})
		if err != nil {
			return err
		}
		pid = child.Pid // never waited for
		ref, err := process.Open(pid)
		if err != nil {
			return err
		}
		<-ref.Exited()
	case "foreign":
		if err := becomeNobody(); err != nil {
			return err
		}
	}
	start, err := process.StartToken(pid)
	if err != nil {
		return err
	}
	caught, stop := o.openSignals()
	defer stop()
	text, err := json.Marshal(map[string]any{"pid": pid, "process_start": start})
	if err != nil {
		return err
	}
	writeAll(o.stdout, string(text)+"\n")
	<-caught
	return nil
}
