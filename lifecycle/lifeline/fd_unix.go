//go:build unix

package lifeline

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// pipe makes the two ends close-on-exec from birth, with the read end above the standard streams. Go's
// runtime opens nothing below 3 unless the process was started with a standard stream closed; then the
// end is moved, or the child could not tell it from a stream.
func pipe() (reader, writer *os.File, err error) {
	reader, writer, err = os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	if reader.Fd() >= 3 {
		return reader, writer, nil
	}
	moved, err := unix.FcntlInt(reader.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	reader.Close()
	if err != nil {
		writer.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(moved), "lifeline"), writer, nil
}

// inspect says why the descriptor is not the read end of a pipe, or nothing.
func inspect(fd int) string {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Sprintf("descriptor %d is not open", fd)
	}
	if uint32(stat.Mode)&unix.S_IFMT != unix.S_IFIFO {
		return fmt.Sprintf("descriptor %d is %s, not the read end of a pipe", fd, kindOf(fileMode(uint32(stat.Mode))))
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return fmt.Sprintf("descriptor %d cannot be inspected: %v", fd, err)
	}
	if flags&unix.O_ACCMODE != unix.O_RDONLY {
		return fmt.Sprintf("descriptor %d is open for writing", fd)
	}
	return ""
}

func fileMode(mode uint32) os.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFCHR:
		return os.ModeDevice | os.ModeCharDevice
	case unix.S_IFBLK:
		return os.ModeDevice
	case unix.S_IFDIR:
		return os.ModeDir
	case unix.S_IFSOCK:
		return os.ModeSocket
	case unix.S_IFREG:
		return 0
	}
	return os.ModeIrregular
}

// own makes the descriptor close-on-exec and hands it to the runtime's poller, so that watching it costs
// no thread. Its open file description is shared with nobody: the creator closed its read end.
func own(fd int, name string) (*os.File, error) {
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, fmt.Errorf("descriptor %d cannot be watched: %w", fd, err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
