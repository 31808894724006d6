package lifeline

import (
	"errors"
	"io"
	"os"
	"sync"
)

// Held is the holder's side of a lifeline. [Held.Close] is called by whoever took it.
type Held struct {
	variable string
	file     *os.File
	ended    chan struct{}
	watched  chan struct{}
	closing  sync.Once

	mu      sync.Mutex
	failure error
	closed  bool
}

func hold(variable string, file *os.File) *Held {
	h := &Held{variable: variable, file: file, ended: make(chan struct{}), watched: make(chan struct{})}
	go h.watch()
	return h
}

// Variable returns the name of the environment variable that the line came from.
func (h *Held) Variable() string { return h.variable }

// Ended returns a channel that closes when the other end is gone, once. It stays open when the line is
// closed by its holder first.
func (h *Held) Ended() <-chan struct{} { return h.ended }

// Err returns the read error that ended the line, or nil after an ordinary end of file. It means
// something only after [Held.Ended] closed: an unreadable line counts as ended.
func (h *Held) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failure
}

// Close stops watching and releases the descriptor. Calling it again does nothing.
func (h *Held) Close() {
	h.closing.Do(func() {
		h.mu.Lock()
		h.closed = true
		h.mu.Unlock()
		h.file.Close()
	})
	<-h.watched
}

// watch reads and throws away whatever comes until the end. Only an empty read is the end: a creator that
// writes by mistake ends nothing.
func (h *Held) watch() {
	defer close(h.watched)
	buffer := make([]byte, 512)
	for {
		_, err := h.file.Read(buffer)
		if err == nil {
			continue
		}
		h.mu.Lock()
		closed := h.closed
		if !errors.Is(err, io.EOF) {
			h.failure = err
		}
		h.mu.Unlock()
		if !closed {
			close(h.ended)
		}
		return
	}
}
