//go:build unix

package member_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/keeper"
	"murlua/lifecycle/member"
)

// TestMain makes the test binary a capsule when it is called as one.
func TestMain(m *testing.M) {
	if code, handled := keeper.Main(os.Args); handled {
		os.Exit(code)
	}
	if len(os.Args) > 1 && os.Args[1] == "run" {
		os.Exit(capsule(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

// capsule is what murlua does with a Lua capsule, without Lua. Its tasks are: echo TEXT; ask MEMBER TEXT; fail TEXT;
// wait, which ends when it is told to; hang, which does not; panic.
func capsule(args []string) int {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	h, err := home.Resolve(os.Getenv("HOME"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	session, err := member.Start(member.Options{
		Environ: os.Environ(), Home: h, Flags: parse(args), Stdout: os.Stdout, Stderr: os.Stderr, Signals: signals, Exit: os.Exit,
	})
	var refused *member.Refusal
	if errors.As(err, &refused) {
		fmt.Fprintf(os.Stderr, "error[%s]: %v\n", refused.Code, refused)
		return 1
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code, err := session.Run(func(ctx context.Context, task member.Task) (string, error) { return work(ctx, session, task) })
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	if answer := session.Answer(); answer != "" {
		fmt.Fprintln(os.Stderr, "answer:", answer)
	}
	return code
}

func work(ctx context.Context, session *member.Session, task member.Task) (string, error) {
	verb, rest, _ := strings.Cut(task.Text, " ")
	switch verb {
	case "echo":
		return task.From + ": " + rest, nil
	case "ask":
		name, text, _ := strings.Cut(rest, " ")
		callee, err := session.Callee(ctx, name)
		if err != nil {
			return "", err
		}
		client := &door.Client{URL: callee.URL, Token: callee.Token}
		answered, err := client.Send(ctx, door.Message{Text: text})
		return answered.Text(), err
	case "fail":
		return "", errors.New(rest)
	case "wait":
		fmt.Fprintln(os.Stderr, "waiting")
		<-ctx.Done()
		return "", context.Cause(ctx)
	case "hang":
		fmt.Fprintln(os.Stderr, "hanging")
		select {}
	case "panic":
		panic(rest)
	}
	return "", fmt.Errorf("no task %q", verb)
}

func parse(args []string) member.Flags {
	var flags member.Flags
	for i := 0; i < len(args); i++ {
		value := func() string { i++; return args[i] }
		switch args[i] {
		case "--capsule":
			flags.Capsule = value()
		case "--capsule-version":
			flags.Version = value()
		case "--capsule-sha256":
			flags.SHA256 = value()
		case "--script":
			flags.Script = value()
		case "--workdir":
			flags.Workdir = value()
		case "--store-root":
			flags.StoreRoot = value()
		case "--bind":
			flags.Bind = value()
		case "--json":
			flags.JSON = true
		case "--readiness-tokens":
			flags.ReadinessTokens = true
		case "--task":
			task := value()
			flags.Task = &task
		case "--lifecycle-task-acceptance":
			flags.Single = value() == "single"
		case "--lifecycle-after-task":
			flags.Exit = value() == "exit"
		}
	}
	return flags
}
