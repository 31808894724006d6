package member

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/id"
)

// firstLineWait is how long a member waits for its first line, as murmur's do.
const firstLineWait = 10 * time.Second

// channel reads what the launcher says. Its goroutine ends with the channel.
type channel struct {
	file *os.File
	done chan struct{}

	mu        sync.Mutex
	addresses map[string]string
	changed   chan struct{} // closed and replaced when there are more addresses
	ended     bool
	trouble   error // the last line that could not be read
}

// readChannel reads the first line and goes on reading addresses. On failure the file is closed.
func readChannel(file *os.File, formation id.Formation) (*channel, credential.FirstLine, error) {
	c := &channel{file: file, done: make(chan struct{}), addresses: map[string]string{}, changed: make(chan struct{})}
	first := make(chan []byte, 1)
	go c.read(first)
	wait := time.NewTimer(firstLineWait)
	defer wait.Stop()
	var line []byte
	err := fmt.Errorf("no first line arrived within %ds", int(firstLineWait.Seconds()))
	select {
	case text, ok := <-first:
		line, err = text, nil
		if !ok {
			err = errors.New("the channel ended before its first line")
		}
	case <-wait.C:
	}
	var parsed credential.FirstLine
	if err == nil {
		parsed, err = credential.ParseFirstLine(line, formation)
	}
	if err != nil {
		c.close()
		return nil, credential.FirstLine{}, err
	}
	return c, parsed, nil
}

func (c *channel) read(first chan<- []byte) {
	defer close(c.done)
	defer c.end()
	lines := bufio.NewReader(c.file)
	line, err := readLine(lines)
	if err != nil {
		close(first)
		return
	}
	first <- line
	for {
		line, err := readLine(lines)
		if err != nil {
			return
		}
		addresses, err := credential.ParseAddresses(line)
		c.learn(addresses, err)
	}
}

// readLine reads a line without its end, LF or CRLF. An end of file in a line is an error like any other, and so is
// a line that is too long: what follows could not be told from it.
func readLine(lines *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := lines.ReadSlice('\n')
		line = append(line, piece...)
		switch {
		case len(line) >= credential.MaxLine:
			return nil, errors.New("a line is too long")
		case err == nil:
			return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// learn takes addresses over, also of members that may not be called: who asks for them is refused earlier.
func (c *channel) learn(addresses []credential.Address, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.trouble = err
		return
	}
	for _, address := range addresses {
		c.addresses[address.Name] = address.URL
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// end lets those who wait for an address give up.
func (c *channel) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	close(c.changed)
}

// address waits for the address of a callee: until ctx ends, or the channel does.
func (c *channel) address(ctx context.Context, name string) (string, error) {
	for {
		c.mu.Lock()
		url, known := c.addresses[name]
		changed, ended, trouble := c.changed, c.ended, c.trouble
		c.mu.Unlock()
		switch {
		case known:
			return url, nil
		case ended:
			return "", errors.Join(errors.New("the formation gave no address for it and will give none"), trouble)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

func (c *channel) close() {
	c.file.Close()
	<-c.done
}
