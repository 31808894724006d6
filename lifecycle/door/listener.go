package door

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// cappedListener answers connections beyond a limit with a refusal at once, so that those who hold connections cannot use up
// the process's descriptors.
type cappedListener struct {
	*net.TCPListener
	limit int64
	open  atomic.Int64
}

const busyReply = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

func (l *cappedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptTCP()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.limit {
			return &cappedConn{TCPConn: conn, release: sync.OnceFunc(func() { l.open.Add(-1) })}, nil
		}
		l.open.Add(-1)
		_ = conn.SetWriteDeadline(time.Now().Add(time.Second)) // fits the empty buffer of a new socket
		_, _ = conn.Write([]byte(busyReply))
		_ = conn.Close()
	}
}

type cappedConn struct {
	*net.TCPConn
	release func()
}

func (c *cappedConn) Close() error {
	defer c.release()
	return c.TCPConn.Close()
}
