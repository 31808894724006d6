package fsx

import (
	"errors"

	"golang.org/x/sys/unix"
)

// dirSource is a kqueue on the directory's vnode. It tells that something changed and not what; a
// file that is written in place changes no directory and is not noticed.
type dirSource struct{ queue, dir int }

func openDirSource(path string) (dirSource, error) {
	dir, err := unix.Open(path, unix.O_EVTONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return dirSource{}, err
	}
	queue, err := unix.Kqueue()
	if err != nil {
		_ = unix.Close(dir)
		return dirSource{}, err
	}
	unix.CloseOnExec(queue)
	s := dirSource{queue, dir}
	events := make([]unix.Kevent_t, 2)
	unix.SetKevent(&events[0], dir, unix.EVFILT_VNODE, unix.EV_ADD|unix.EV_CLEAR)
	events[0].Fflags = unix.NOTE_WRITE | unix.NOTE_EXTEND | unix.NOTE_DELETE | unix.NOTE_RENAME | unix.NOTE_REVOKE
	unix.SetKevent(&events[1], 1, unix.EVFILT_USER, unix.EV_ADD)
	if _, err := unix.Kevent(queue, events, nil, nil); err != nil {
		s.close()
		return dirSource{}, err
	}
	return s, nil
}

func (s dirSource) next(<-chan struct{}) (Change, error) {
	events := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(s.queue, nil, events, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return Change{}, err
		}
		ended := events[0].Fflags&(unix.NOTE_DELETE|unix.NOTE_RENAME|unix.NOTE_REVOKE) != 0
		return Change{All: !ended, Ended: ended}, nil
	}
}

func (s dirSource) interrupt() {
	wake := make([]unix.Kevent_t, 1)
	unix.SetKevent(&wake[0], 1, unix.EVFILT_USER, 0)
	wake[0].Fflags = unix.NOTE_TRIGGER
	_, _ = unix.Kevent(s.queue, wake, nil, nil)
}

func (s dirSource) close() {
	_ = unix.Close(s.queue)
	_ = unix.Close(s.dir)
}
