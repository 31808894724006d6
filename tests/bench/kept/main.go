//go:build unix

// Command kept is the least host there can be on top of lifecycle/keeper: kept N -- command args... starts N
// commands under a keeper, prefixes their output like gofloor does, and on SIGTERM stops them. Comparing the two
// shows what containment costs, without the Lua host.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"

	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
)

func main() {
	if code, handled := keeper.Main(os.Args); handled {
		os.Exit(code)
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	stop := make(chan os.Signal, 2)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	k := keeper.New(keeper.Options{Stderr: os.Stderr})
	if err := k.Warm(); err != nil {
		return err
	}
	out := &output{w: bufio.NewWriterSize(os.Stdout, 64<<10)}
	var readers, starts sync.WaitGroup
	for i := range n {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		readers.Go(func() { out.relay(fmt.Sprintf("p%d | ", i), r) })
		starts.Go(func() {
			defer w.Close()
			_, err := k.Start(context.Background(), keeper.Command{
				Args: os.Args[3:], Env: os.Environ(), Stdout: w, Stderr: w,
				Class: contain.Class(os.Getenv("CLASS")),
			})
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	starts.Wait()
	<-stop
	err = k.Close(context.Background())
	readers.Wait()
	out.w.Flush()
	return err
}

type output struct {
	mu sync.Mutex
	w  *bufio.Writer
}

func (o *output) relay(name string, r *os.File) {
	defer r.Close()
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			o.mu.Lock()
			o.w.WriteString(name)
			o.w.Write(line)
			if in.Buffered() == 0 {
				o.w.Flush()
			}
			o.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}
