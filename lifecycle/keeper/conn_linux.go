package keeper

import (
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	// packetLimit is below the kernel's default send buffer (net.core.wmem_default, 212992); a larger packet, such
	// as a command with a very large environment, goes through a file in memory.
	packetLimit = 96 << 10
	// fdLimit is how many descriptors travel with one packet (SCM_MAX_FD of unix(7) is 253).
	fdLimit = 250
)

// A conn is one end of the socket pair between host and keeper: whole packets with descriptors.
type conn struct {
	file *os.File
	raw  syscall.RawConn
	send sync.Mutex // one packet at a time
	buf  []byte     // the reader's own
	oob  []byte
}

// socketPair makes both ends, close-on-exec.
func socketPair() (host, keeper *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot create a socket pair: %w", err)
	}
	return os.NewFile(uintptr(fds[0]), "keeper"), os.NewFile(uintptr(fds[1]), "host"), nil
}

func newConn(file *os.File) (*conn, error) {
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	return &conn{file: file, raw: raw}, nil
}

func (c *conn) close() { c.file.Close() }

// write sends one packet. The descriptors stay the caller's.
func (c *conn) write(packet []byte, fds ...int) error {
	return c.writeBy(packet, fds, func(packet, rights []byte) error {
		var sent error
		err := c.raw.Write(func(fd uintptr) bool {
			sent = sendmsg(int(fd), packet, rights)
			return sent != unix.EAGAIN
		})
		if err != nil {
			return err
		}
		return sent
	})
}

func sendmsg(fd int, packet, rights []byte) error {
	for {
		if err := unix.Sendmsg(fd, packet, rights, nil, unix.MSG_NOSIGNAL); err != unix.EINTR {
			return err
		}
	}
}

// writeBy prepares a packet for the wire and has it sent.
func (c *conn) writeBy(packet []byte, fds []int, send func(packet, rights []byte) error) error {
	if len(fds) > fdLimit {
		return fmt.Errorf("cannot pass %d descriptors: the limit is %d", len(fds), fdLimit)
	}
	if len(packet) > packetLimit {
		file, err := memoryFile(packet)
		if err != nil {
			return err
		}
		defer file.Close()
		packet, fds = []byte{kindLarge}, append(fds[:len(fds):len(fds)], int(file.Fd()))
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	c.send.Lock()
	defer c.send.Unlock()
	return send(packet, rights)
}

// read waits for one packet. The descriptors become the caller's, and the packet is valid until the next read.
// io.EOF when the other end has closed, however it ended.
func (c *conn) read() (packet []byte, fds []int, err error) {
	var got error
	err = c.raw.Read(func(fd uintptr) bool {
		packet, fds, got = c.receive(int(fd))
		return got != unix.EAGAIN
	})
	if err != nil {
		return nil, nil, err
	}
	return packet, fds, got
}

// receive takes the next packet from the descriptor, or EAGAIN.
func (c *conn) receive(fd int) (packet []byte, fds []int, err error) {
	if c.buf == nil {
		c.buf = make([]byte, packetLimit)
		c.oob = make([]byte, unix.CmsgSpace(4*(fdLimit+3)))
	}
	n, oobn := 0, 0
	for {
		n, oobn, _, _, err = unix.Recvmsg(fd, c.buf, c.oob, unix.MSG_CMSG_CLOEXEC)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return nil, nil, err
	}
	if n == 0 {
		return nil, nil, io.EOF
	}
	if fds, err = parseRights(c.oob[:oobn]); err != nil {
		return nil, nil, err
	}
	packet = c.buf[:n]
	if packet[0] == kindLarge && len(fds) > 0 {
		file := os.NewFile(uintptr(fds[len(fds)-1]), "packet")
		fds = fds[:len(fds)-1]
		defer file.Close()
		if packet, err = io.ReadAll(io.NewSectionReader(file, 0, 1<<40)); err != nil || len(packet) == 0 {
			closeAll(fds)
			return nil, nil, fmt.Errorf("cannot read a large packet: %w", err)
		}
	}
	return packet, fds, nil
}

// hungUp reports whether the other end of a descriptor has closed, without reading what is still queued.
func hungUp(fd int) bool {
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(poll, 0)
	return err == nil && n > 0 && poll[0].Revents&(unix.POLLHUP|unix.POLLRDHUP|unix.POLLERR) != 0
}

func parseRights(oob []byte) ([]int, error) {
	if len(oob) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var fds []int
	for i := range messages {
		got, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			closeAll(fds)
			return nil, err
		}
		fds = append(fds, got...)
	}
	return fds, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}

func memoryFile(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("packet", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("cannot create a file in memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "packet")
	if _, err := file.Write(data); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}
