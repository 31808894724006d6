package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
)

// Guest is somebody who has attached to a running host from elsewhere. Make one with [Welcome] and run
// [Guest.Serve].
type Guest struct {
	options GuestOptions
	wire    *wire
	notes   chan string

	mu        sync.Mutex
	interrupt context.CancelCauseFunc // of what is being evaluated; nil when nothing is
	lost      int                     // notes that found no place
}

// GuestOptions say what a guest may do.
type GuestOptions struct {
	// Open makes the guest's console when it first evaluates something; what it shows goes to out, what goes wrong
	// to errs.
	Open func(ctx context.Context, out, errs io.Writer) (*Console, error)
	// State says how it stands with something, without the host's lock; nil knows nothing. What it returns is
	// encoded as JSON.
	State func(what string) (any, error)
}

// waitingNotes bounds the notes that wait for a guest who does not read.
const waitingNotes = 256

// errGone is why an evaluation is stopped whose guest has gone, and why nothing can be sent.
var errGone = errors.New("whoever asked for it has gone")

// errInterrupted is why an evaluation is stopped whose guest wants it to.
var errInterrupted = errors.New("interrupted")

// Welcome makes a guest of a connection, which becomes the guest's.
func Welcome(conn net.Conn, options GuestOptions) *Guest {
	return &Guest{options: options, wire: newWire(conn), notes: make(chan string, waitingNotes)}
}

// Note tells the guest that something happened. It never waits: a guest who does not read misses notes, and is told
// how many.
func (g *Guest) Note(text string) {
	select {
	case g.notes <- text:
	default:
		g.mu.Lock()
		g.lost++
		g.mu.Unlock()
	}
}

// Serve answers the guest until it goes, or ctx ends, and then stops what it evaluates, and nothing else.
func (g *Guest) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	requests := make(chan message)
	var helpers sync.WaitGroup
	defer helpers.Wait()
	defer g.wire.conn.Close()
	defer cancel(errGone)
	unhook := context.AfterFunc(ctx, func() { _ = g.wire.conn.Close() })
	defer unhook()
	helpers.Go(func() { g.sendNotes(ctx) })
	var reading error
	helpers.Go(func() {
		defer close(requests)
		reading = g.read(ctx, requests)
		cancel(errGone)
	})
	var console *Console
	for m := range requests {
		if err := g.answer(ctx, m, &console); err != nil {
			cancel(errGone)
			_ = g.wire.conn.Close()
			for range requests { // the reader may be about to hand one over
			}
			if errors.Is(err, errGone) {
				return nil
			}
			return err
		}
	}
	if errors.Is(reading, io.EOF) {
		return nil
	}
	return reading
}

// read hands over requests; an interrupt is done at once.
func (g *Guest) read(ctx context.Context, requests chan<- message) error {
	for {
		m, err := g.wire.receive()
		if err != nil {
			return err
		}
		if m.Op == opInterrupt {
			g.mu.Lock()
			if g.interrupt != nil {
				g.interrupt(errInterrupted)
			}
			g.mu.Unlock()
			continue
		}
		select {
		case requests <- m:
		case <-ctx.Done():
			return io.EOF
		}
	}
}

func (g *Guest) sendNotes(ctx context.Context) {
	for {
		select {
		case text := <-g.notes:
			g.mu.Lock()
			lost := g.lost
			g.lost = 0
			g.mu.Unlock()
			if lost > 0 {
				text += fmt.Sprintf("\n… and %d more that nobody read", lost)
			}
			if g.wire.send(message{Op: opNote, Text: text}) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

func (g *Guest) answer(ctx context.Context, m message, console **Console) error {
	if m.Op == opState {
		return g.wire.send(g.state(m.Text))
	}
	if *console == nil {
		opened, err := g.options.Open(ctx, outWriter{g.wire, opOut}, outWriter{g.wire, opErr})
		if err != nil {
			return g.wire.send(message{Op: opDone, Next: Leave, Error: err.Error()})
		}
		*console = opened
	}
	switch m.Op {
	case opLine:
		next := g.line(ctx, *console, m.Text)
		return g.wire.send(message{Op: opDone, Next: next, Failed: (*console).Failed})
	case opDrop:
		(*console).Drop()
		return g.wire.send(message{Op: opDone})
	case opComplete:
		head, words := (*console).Session.Complete(ctx, (*console).Pending()+m.Text)
		return g.wire.send(message{Op: opWords, Text: head, Words: words})
	}
	return fmt.Errorf("cannot answer a guest that asks for %q", m.Op)
}

func (g *Guest) line(ctx context.Context, console *Console, text string) Next {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	g.mu.Lock()
	g.interrupt = cancel
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		g.interrupt = nil
		g.mu.Unlock()
	}()
	return console.Line(ctx, text)
}

func (g *Guest) state(what string) message {
	if g.options.State == nil {
		return message{Op: opState, Error: "nothing is known here"}
	}
	found, err := g.options.State(what)
	if err != nil {
		return message{Op: opState, Error: err.Error()}
	}
	text, err := json.Marshal(found)
	if err != nil {
		return message{Op: opState, Error: err.Error()}
	}
	return message{Op: opState, State: text}
}

// outWriter sends what is written as what the evaluation shows.
type outWriter struct {
	wire *wire
	op   string
}

func (w outWriter) Write(text []byte) (int, error) {
	if len(text) == 0 {
		return 0, nil
	}
	if err := w.wire.send(message{Op: w.op, Text: string(text)}); err != nil {
		return 0, fmt.Errorf("cannot show anything to whoever asked: %w", err)
	}
	return len(text), nil
}
