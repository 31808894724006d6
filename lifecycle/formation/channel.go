package formation

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// channelWait bounds one write to a member's channel. A line fits the pipe, so only a member that does not read
// while a long list of addresses is written makes a write wait at all.
const channelWait = 10 * time.Second

// channel is the pipe on which a member learns who it is and whom it may call. The launcher keeps the write end
// while the member runs.
type channel struct {
	reader *os.File

	mu     sync.Mutex
	writer *os.File
}

// openChannel makes a channel that already holds the lines. Both ends are close-on-exec.
func openChannel(lines ...[]byte) (*channel, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("its formation channel could not be created: %w", err)
	}
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	growPipe(writer, size)
	c := &channel{reader: reader, writer: writer}
	for _, line := range lines {
		if err := c.send(line); err != nil {
			c.abandon()
			return nil, fmt.Errorf("its formation channel could not be written: %w", err)
		}
	}
	return c, nil
}

// send writes one line, which has its end. To a member that has gone the line reaches nobody, which is no error worth telling;
// the caller decides.
func (c *channel) send(line []byte) error {
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
func (c *channel) spawned() { c.reader.Close() }

func (c *channel) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writer != nil {
		c.writer.Close()
		c.writer = nil
	}
}

// abandon closes both ends of a channel that no member gets.
func (c *channel) abandon() {
	c.spawned()
	c.close()
}
