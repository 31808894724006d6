package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// growPipe makes room for what is written before anybody reads. The default is 64 KiB, enough for some 200
// callees; an ordinary user may have 1 MiB.
func growPipe(pipe *os.File, size int) {
	const usual = 64 << 10
	if size < usual {
		return
	}
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, size+usual) })
}
