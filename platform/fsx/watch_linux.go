package fsx

import (
	"bytes"
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// dirSource is an inotify instance with one watch, woken through the runtime's poller.
type dirSource struct {
	file   *os.File
	buffer []byte
}

const (
	entryEvents = unix.IN_CREATE | unix.IN_CLOSE_WRITE | unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_DELETE
	endEvents   = unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_UNMOUNT | unix.IN_IGNORED
)

func openDirSource(path string) (dirSource, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return dirSource{}, err
	}
	const mask = entryEvents | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR
	if _, err := unix.InotifyAddWatch(fd, path, mask); err != nil {
		_ = unix.Close(fd)
		return dirSource{}, err
	}
	return dirSource{os.NewFile(uintptr(fd), "inotify"), make([]byte, 64<<10)}, nil
}

func (s dirSource) next(<-chan struct{}) (Change, error) {
	n, err := s.file.Read(s.buffer)
	if err != nil {
		return Change{}, err
	}
	return parseInotify(s.buffer[:n]), nil
}

func (s dirSource) interrupt() { _ = s.file.SetReadDeadline(time.Unix(1, 0)) }

func (s dirSource) close() { _ = s.file.Close() }

// parseInotify reads a run of events, see inotify(7). The kernel gives whole events only.
func parseInotify(events []byte) Change {
	var change Change
	for len(events) >= unix.SizeofInotifyEvent {
		mask := binary.NativeEndian.Uint32(events[4:])
		length := int(binary.NativeEndian.Uint32(events[12:]))
		events = events[unix.SizeofInotifyEvent:]
		name := events[:min(length, len(events))]
		events = events[len(name):]
		switch {
		case mask&unix.IN_Q_OVERFLOW != 0:
			change.All = true
		case mask&endEvents != 0:
			change.Ended = true
		case mask&entryEvents != 0 && len(name) > 0:
			text, _, _ := bytes.Cut(name, []byte{0})
			change.Names = append(change.Names, string(text))
		}
	}
	return change
}
