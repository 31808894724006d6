package attach

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

const supported = true

// peerOf asks the kernel who opened the other end (SO_PEERCRED, unix(7)).
func peerOf(conn *net.UnixConn) (peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var found *unix.Ucred
	var asking error
	if err := raw.Control(func(fd uintptr) {
		found, asking = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); err != nil {
		return peer{}, err
	}
	if asking != nil {
		return peer{}, asking
	}
	return peer{pid: int(found.Pid), uid: int(found.Uid)}, nil
}

// maxAddress is what fits into sun_path, without the byte that ends it.
const maxAddress = 107

// addressOf returns an address for a socket's path. A path that is too long goes through the descriptor of its
// folder, which the caller closes when the address is no longer used.
func addressOf(path string) (address string, dir *os.File, err error) {
	if len(path) <= maxAddress {
		return path, nil, nil
	}
	dir, err = os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(path)), dir, nil
}

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
