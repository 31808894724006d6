package repl

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// A conversation over a connection is JSON objects, one a line, in both directions.
//
// The client asks one thing at a time: line (evaluate a line), drop (forget the input so far), complete (what could
// stand at the end of the text), state (how it stands with what the text names); interrupt, which stops what is being
// evaluated, may come at any time. Each but interrupt has one answer: done, words or state. Before and between come
// out (something the evaluation printed), err (what went wrong with it) and note (something that happened).
type message struct {
	Op    string          `json:"op"`
	Text  string          `json:"text,omitempty"`
	Next  Next            `json:"next,omitempty"`
	Words []string        `json:"words,omitempty"`
	State json.RawMessage `json:"state,omitempty"`
	Error string          `json:"error,omitempty"`
	// Failed says of a line that its evaluation failed.
	Failed bool `json:"failed,omitempty"`
}

const (
	opLine      = "line"
	opDrop      = "drop"
	opComplete  = "complete"
	opState     = "state"
	opInterrupt = "interrupt"
	opDone      = "done"
	opWords     = "words"
	opOut       = "out"
	opErr       = "err"
	opNote      = "note"
)

const (
	// maxMessage bounds a line of the protocol: more is not a conversation.
	maxMessage = 16 << 20
	// writeWithin is how long the other end may take to read; after that it counts as gone.
	writeWithin = 10 * time.Second
)

// wire sends and receives messages. Sending is safe for concurrent use.
type wire struct {
	conn net.Conn
	in   *bufio.Scanner

	mu     sync.Mutex
	broken error
}

func newWire(conn net.Conn) *wire {
	in := bufio.NewScanner(conn)
	in.Buffer(nil, maxMessage)
	return &wire{conn: conn, in: in}
}

func (w *wire) send(m message) error {
	text, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("cannot write a message: %w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken != nil {
		return w.broken
	}
	_ = w.conn.SetWriteDeadline(time.Now().Add(writeWithin)) // fails when the connection does
	if _, err := w.conn.Write(append(text, '\n')); err != nil {
		w.broken = fmt.Errorf("%w: %w", errGone, err) // what was sent in part makes the rest unreadable
		_ = w.conn.Close()
		return w.broken
	}
	return nil
}

// receive waits for a message; io.EOF says that the other end has gone.
func (w *wire) receive() (message, error) {
	if !w.in.Scan() {
		err := w.in.Err()
		if err == nil || errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
			err = io.EOF
		}
		return message{}, err
	}
	var m message
	if err := json.Unmarshal(w.in.Bytes(), &m); err != nil {
		return message{}, fmt.Errorf("cannot read a message: %w", err)
	}
	return m, nil
}
