package attach

import (
	"errors"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const supported = true

// peerOf asks the kernel whose the other end is (LOCAL_PEERCRED, unix(4)); it does not name the process.
func peerOf(conn *net.UnixConn) (peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var found *unix.Xucred
	var asking error
	if err := raw.Control(func(fd uintptr) {
		found, asking = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	}); err != nil {
		return peer{}, err
	}
	if asking != nil {
		return peer{}, asking
	}
	return peer{uid: int(found.Uid)}, nil
}

func addressOf(path string) (string, *os.File, error) { return path, nil, nil }

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
