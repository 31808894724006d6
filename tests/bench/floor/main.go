//go:build unix

// Command floor is the least that a launcher in Go can do, which is what others are measured against: floor N --
// command args... starts N commands in process groups of their own, passes their output on line by line with a
// name in front, and at SIGTERM signals all groups, waits for everything and exits.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
)

func main() {
	if err := run(os.Args[1], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(count string, args []string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	out := &shared{to: bufio.NewWriterSize(os.Stdout, 64<<10)}
	var reading sync.WaitGroup
	commands := make([]*exec.Cmd, n)
	for i := range commands {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		c := exec.Command(args[0], args[1:]...)
		c.Stdout, c.Stderr, c.SysProcAttr = w, w, &syscall.SysProcAttr{Setpgid: true}
		if err := c.Start(); err != nil {
			return err
		}
		w.Close()
		reading.Go(func() { out.pass(fmt.Sprintf("p%d | ", i), r) })
		commands[i] = c
	}
	<-term
	for _, c := range commands {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
	}
	for _, c := range commands {
		_ = c.Wait()
	}
	reading.Wait()
	return out.to.Flush()
}

// shared is an output that whole lines are written to from several sides.
type shared struct {
	mu sync.Mutex
	to *bufio.Writer
}

func (s *shared) pass(name string, from *os.File) {
	defer from.Close()
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			s.mu.Lock()
			s.to.WriteString(name)
			s.to.Write(line)
			if in.Buffered() == 0 {
				s.to.Flush()
			}
			s.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}
