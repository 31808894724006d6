package attach

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"murlua/lifecycle/home"
	"murlua/platform/fsx"
	"murlua/platform/process"
)

var (
	// ErrUnsupported says that this system does not tell who is at the other end of a socket.
	ErrUnsupported = errors.New("this system does not tell who is at the other end of a socket")
	// ErrClosed is what [Listener.Accept] returns after [Listener.Close].
	ErrClosed = errors.New("the socket is closed")
	// ErrNobody says that the process has no socket: it does not let anybody in, or has ended.
	ErrNobody = errors.New("nobody answers there")
)

// folder is where the sockets of a home are.
func folder(h home.Home) string { return filepath.Join(h.Path(), "attach") }

func ensureFolder(h home.Home) (string, error) {
	if err := h.Ensure(); err != nil {
		return "", err
	}
	return folder(h), fsx.EnsurePrivateDir(folder(h))
}

// name is the file name of a process's socket.
func name(of process.Identity) string { return strconv.Itoa(of.PID) + "-" + of.Start }

// identityOf reads a socket's name.
func identityOf(name string) (process.Identity, bool) {
	pid, start, ok := strings.Cut(name, "-")
	number, err := strconv.Atoi(pid)
	return process.Identity{PID: number, Start: start}, ok && err == nil && number > 0 && start != ""
}

// Listener takes connections of this user. It is safe for concurrent use.
type Listener struct {
	inner *net.UnixListener
	path  string
	dir   *os.File // set when the path was too long for an address
}

// Listen opens the socket of this process, and removes those of processes that are gone.
func Listen(h home.Home) (*Listener, error) {
	if !supported {
		return nil, ErrUnsupported
	}
	me, err := process.Current()
	if err != nil {
		return nil, fmt.Errorf("cannot open a socket to attach to: %w", err)
	}
	dir, err := ensureFolder(h)
	if err != nil {
		return nil, fmt.Errorf("cannot open a socket to attach to: %w", err)
	}
	removeStale(dir)
	l := &Listener{path: filepath.Join(dir, name(me))}
	if err := l.listen(dir); err != nil {
		return nil, fmt.Errorf("cannot open a socket to attach to: %w", err)
	}
	return l, nil
}

func (l *Listener) listen(dir string) error {
	address, opened, err := addressOf(l.path)
	if err != nil {
		return err
	}
	l.dir = opened
	// A socket with our own number and start can only be ours.
	if err := os.Remove(l.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, l.closeDir())
	}
	l.inner, err = net.ListenUnix("unix", &net.UnixAddr{Name: address, Net: "unix"})
	if err != nil {
		return errors.Join(err, l.closeDir())
	}
	l.inner.SetUnlinkOnClose(false)
	if err := os.Chmod(l.path, 0o600); err != nil {
		return errors.Join(err, l.Close())
	}
	return nil
}

// Accept waits for a connection of this user; others are closed. After Close it returns [ErrClosed].
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.inner.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return nil, ErrClosed
		}
		if err != nil {
			return nil, fmt.Errorf("cannot take a connection: %w", err)
		}
		if peer, err := peerOf(conn); err == nil && allowed(peer) {
			return conn, nil
		}
		conn.Close()
	}
}

// Close removes the socket. Connections that were taken stay.
func (l *Listener) Close() error {
	removing := os.Remove(l.path)
	if errors.Is(removing, fs.ErrNotExist) {
		removing = nil
	}
	return errors.Join(removing, l.inner.Close(), l.closeDir())
}

func (l *Listener) closeDir() error {
	if l.dir == nil {
		return nil
	}
	return l.dir.Close()
}

// Dial connects to a process's socket. It fails with [ErrNobody] when there is none.
func Dial(ctx context.Context, h home.Home, of process.Identity) (net.Conn, error) {
	if !supported {
		return nil, ErrUnsupported
	}
	address, dir, err := addressOf(filepath.Join(folder(h), name(of)))
	if err != nil {
		return nil, fmt.Errorf("cannot attach to process %d: %w", of.PID, nobody(err))
	}
	if dir != nil {
		defer dir.Close()
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", address)
	if err != nil {
		return nil, fmt.Errorf("cannot attach to process %d: %w", of.PID, nobody(err))
	}
	peer, err := peerOf(conn.(*net.UnixConn))
	if err == nil && (!allowed(peer) || peer.pid != 0 && peer.pid != of.PID) {
		err = errors.New("somebody else has its socket")
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("cannot attach to process %d: %w", of.PID, err)
	}
	return conn, nil
}

// nobody turns what a missing or abandoned socket gives into [ErrNobody].
func nobody(err error) error {
	if errors.Is(err, fs.ErrNotExist) || isRefused(err) {
		return ErrNobody
	}
	return err
}

// peer is who is at the other end; pid is 0 where the system does not say.
type peer struct{ pid, uid int }

func allowed(p peer) bool { return p.uid == os.Geteuid() }

// removeStale removes the sockets of processes that are gone. A process that cannot be looked at counts as there.
func removeStale(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if of, ok := identityOf(entry.Name()); ok && process.Inspect(of).Kind == process.Gone && abandoned(path) {
			_ = os.Remove(path)
		}
	}
}

// abandoned reports whether nobody listens on a socket. A process of another pid namespace that shares the home looks
// from here as if it were gone, and listens all the same.
func abandoned(path string) bool {
	address, dir, err := addressOf(path)
	if err != nil {
		return false
	}
	if dir != nil {
		defer dir.Close()
	}
	conn, err := net.Dial("unix", address)
	if err == nil {
		_ = conn.Close()
	}
	return err != nil && isRefused(err)
}
