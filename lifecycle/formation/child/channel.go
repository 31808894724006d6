package child

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// channelWait bounds one write to a member's channel. A line fits the pipe, so only a member that does not read
// while a long list of addresses is written makes a write wait at all.
const channelWait = 10 * time.Second

// Channel is the pipe on which a member learns who it is and whom it may call. The launcher keeps the write end
// while the member runs.
type Channel struct {
	reader *os.File

	mu     sync.Mutex
	writer *os.File
}

// OpenChannel makes a channel that already holds the lines. Both ends are close-on-exec.
func OpenChannel(lines ...[]byte) (*Channel, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("its formation channel could not be created: %w", err)
	}
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	growPipe(writer, size)
	c := &Channel{reader: reader, writer: writer}
	for _, line := range lines {
		if err := c.Send(line); err != nil {
			c.abandon()
			return nil, fmt.Errorf("its formation channel could not be written: %w", err)
		}
	}
	return c, nil
}

// Send writes one line, which has its end. To a member that has gone the line reaches nobody, which is no error worth telling;
// the caller decides.
func (c *Channel) Send(line []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writer == nil {
		return os.ErrClosed
	}
	_ = c.writer.SetWriteDeadline(time.Now().Add(channelWait))
	_, err := c.writer.Write(line)
	return err
}

// spawned closes the read end, of which the member has its copy now, or never will.
func (c *Channel) spawned() { c.reader.Close() }

// Close closes the write end. Calling it again does nothing.
func (c *Channel) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writer != nil {
		c.writer.Close()
		c.writer = nil
	}
}

// abandon closes both ends of a channel that no member gets.
func (c *Channel) abandon() {
	c.spawned()
	c.Close()
}
