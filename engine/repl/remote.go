package repl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// Remote is a conversation with a host in another process, for a prompt: what [Console] is for a host in this one.
// It is used by one goroutine at a time.
type Remote struct {
	wire    *wire
	out     io.Writer
	errs    io.Writer
	answers chan message
	gone    chan struct{}
	pending string
}

// ErrGone says that the other process closed the conversation, most often because it has ended.
var ErrGone = errors.New("the other process has ended the conversation")

// NewRemote makes a conversation of a connection, which becomes the conversation's. What the other end shows, and
// notes of what happens there, go to out, at any time; what went wrong goes to errs, which may be the same.
func NewRemote(conn net.Conn, out, errs io.Writer) *Remote {
	r := &Remote{wire: newWire(conn), out: out, errs: errs, answers: make(chan message, 1), gone: make(chan struct{})}
	go r.read() // ends with the connection
	return r
}

func (r *Remote) read() {
	defer close(r.gone)
	for {
		m, err := r.wire.receive()
		if err != nil {
			return
		}
		switch m.Op {
		case opOut:
			_, _ = io.WriteString(r.out, m.Text)
		case opErr:
			_, _ = io.WriteString(r.errs, m.Text)
		case opNote:
			_, _ = io.WriteString(r.out, m.Text+"\n")
		default:
			r.answers <- m // one for each question, and there is one question at a time
		}
	}
}

// Gone is closed when the other end has closed the conversation.
func (r *Remote) Gone() <-chan struct{} { return r.gone }

// Close ends the conversation: the other end stops what this one has it evaluate, and nothing else.
func (r *Remote) Close() error {
	err := r.wire.conn.Close()
	for {
		select {
		case <-r.answers: // an answer that nobody waited for
		case <-r.gone:
			return err
		}
	}
}

func (r *Remote) ask(ctx context.Context, m message) (message, error) {
	if err := r.wire.send(m); err != nil {
		return message{}, ErrGone
	}
	stopped := ctx.Done()
	for {
		select {
		case answer := <-r.answers:
			if answer.Error != "" {
				return answer, errors.New(answer.Error)
			}
			return answer, nil
		case <-r.gone:
			select { // the answer may be there already
			case answer := <-r.answers:
				return answer, nil
			default:
				return message{}, ErrGone
			}
		case <-stopped:
			stopped = nil
			if r.wire.send(message{Op: opInterrupt}) != nil {
				return message{}, ErrGone
			}
		}
	}
}

// Line has the other end take a line. The end of ctx stops what it evaluates. It returns [Leave] when the other end
// has gone.
func (r *Remote) Line(ctx context.Context, line string) Next {
	answer, err := r.ask(ctx, message{Op: opLine, Text: line})
	if err != nil {
		_, _ = io.WriteString(r.errs, err.Error()+"\n")
		return Leave
	}
	r.pending = ""
	if answer.Next == More {
		r.pending += line + "\n"
	}
	return answer.Next
}

// Pending is the input so far, when it goes on.
func (r *Remote) Pending() string { return r.pending }

// Drop forgets the input so far, and returns whether there was any.
func (r *Remote) Drop() bool {
	had := r.pending != ""
	r.pending = ""
	if had {
		_, _ = r.ask(context.Background(), message{Op: opDrop})
	}
	return had
}

// Complete is [Session.Complete] at the other end. The input begins with what is pending.
func (r *Remote) Complete(ctx context.Context, input string) (head string, words []string) {
	ctx, cancel := context.WithTimeout(ctx, 5*patience)
	defer cancel()
	answer, err := r.ask(ctx, message{Op: opComplete, Text: strings.TrimPrefix(input, r.pending)})
	if err != nil {
		return input, nil
	}
	return answer.Text, answer.Words
}

// State asks how it stands with something.
func (r *Remote) State(ctx context.Context, what string) (json.RawMessage, error) {
	answer, err := r.ask(ctx, message{Op: opState, Text: what})
	if err != nil {
		return nil, fmt.Errorf("cannot ask the process: %w", err)
	}
	return answer.State, nil
}

// Script has the other end take a whole text as one input, and reports whether it failed. What it shows goes to out,
// what went wrong to errs.
func (r *Remote) Script(ctx context.Context, source string) (next Next, failed bool) {
	answer, err := r.ask(ctx, message{Op: opLine, Text: source})
	if err != nil {
		_, _ = io.WriteString(r.errs, err.Error()+"\n")
		return Leave, true
	}
	return answer.Next, answer.Failed
}
