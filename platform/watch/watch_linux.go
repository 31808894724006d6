package watch

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

const interest = unix.IN_CREATE | unix.IN_MOVED_TO | unix.IN_MODIFY | unix.IN_ATTRIB |
	unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF

// Watcher is a running watch.
type Watcher struct {
	queue   *queue
	file    *os.File
	root    string // as the caller gave it
	only    string // the watched file's name when a single file is watched, from its folder
	options Options
	done    chan struct{}

	mutex   sync.Mutex
	folders map[int32]string // watch descriptor → folder
}

// Open starts to watch a file or a folder. Changes after it returns are reported. The error wraps
// fs.ErrNotExist when there is no such path.
func Open(path string, options Options) (*Watcher, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot watch %q: %w", path, err)
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("cannot watch %q: %w", path, err)
	}
	w := &Watcher{
		queue: newQueue(), file: os.NewFile(uintptr(fd), "inotify"), root: path,
		options: options, done: make(chan struct{}), folders: map[int32]string{},
	}
	if info.IsDir() {
		err = w.watchTree(path, false)
	} else {
		// Through its folder: a file that is replaced by a rename would be lost otherwise.
		w.only = filepath.Base(path)
		err = w.watchFolder(filepath.Dir(path))
	}
	if err != nil {
		w.file.Close()
		return nil, fmt.Errorf("cannot watch %q: %w", path, err)
	}
	go w.read()
	return w, nil
}

// Next waits for the next change. It returns [ErrClosed] when the watch has ended and everything was
// taken, and the context's cause when that ends first.
func (w *Watcher) Next(ctx context.Context) (Event, error) { return w.queue.next(ctx) }

// Close ends the watch and waits for its goroutine. A second call does nothing.
func (w *Watcher) Close() error {
	w.queue.end(ErrClosed)
	err := w.file.Close()
	<-w.done
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

func (w *Watcher) watchFolder(folder string) error {
	var number int
	var failure error
	connection, err := w.file.SyscallConn()
	if err != nil {
		return err
	}
	err = connection.Control(func(fd uintptr) {
		number, failure = unix.InotifyAddWatch(int(fd), folder, interest|unix.IN_ONLYDIR)
	})
	if err != nil {
		return err
	}
	if errors.Is(failure, unix.ENOSPC) {
		return fmt.Errorf("the limit fs.inotify.max_user_watches is reached: %w", failure)
	}
	if failure != nil {
		return &fs.PathError{Op: "watch", Path: folder, Err: failure}
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.folders[int32(number)] = folder
	return nil
}

// watchTree watches a folder and, when asked to, the ones below it. announce reports what is found in it:
// a folder that has just appeared may have been filled before its watch was there.
func (w *Watcher) watchTree(folder string, announce bool) error {
	if err := w.watchFolder(folder); err != nil {
		return err
	}
	if !w.options.Recursive {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		if announce {
			w.queue.add(Event{Path: path, Kind: Created})
		}
		if !entry.IsDir() {
			continue
		}
		// One that has vanished meanwhile was reported, or will be, by its parent's watch.
		if err := w.watchTree(path, announce); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// read takes what the kernel reports until the descriptor is closed.
func (w *Watcher) read() {
	defer close(w.done)
	buffer := make([]byte, 64<<10)
	for {
		n, err := w.file.Read(buffer)
		if err != nil || n == 0 {
			w.queue.end(ErrClosed)
			return
		}
		for rest := buffer[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			number := int32(binary.NativeEndian.Uint32(rest))
			mask := binary.NativeEndian.Uint32(rest[4:])
			length := int(binary.NativeEndian.Uint32(rest[12:]))
			name := strings.TrimRight(string(rest[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+length]), "\x00")
			rest = rest[unix.SizeofInotifyEvent+length:]
			w.report(number, mask, name)
		}
	}
}

func (w *Watcher) report(number int32, mask uint32, name string) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		w.queue.add(Event{Path: w.root, Kind: Changed})
		return
	}
	w.mutex.Lock()
	folder, known := w.folders[number]
	if mask&unix.IN_IGNORED != 0 {
		delete(w.folders, number)
	}
	w.mutex.Unlock()
	if !known {
		return
	}
	if name == "" { // about the folder itself
		if mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF) != 0 && (folder == w.root || w.only != "") {
			w.queue.add(Event{Path: w.root, Kind: Removed})
			w.queue.end(ErrClosed)
		}
		return
	}
	if w.only != "" && name != w.only {
		return
	}
	path := filepath.Join(folder, name)
	if w.only != "" {
		path = w.root
	}
	switch {
	case mask&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
		w.queue.add(Event{Path: path, Kind: Created})
		if mask&unix.IN_ISDIR != 0 && w.options.Recursive {
			// A failure here is a folder that is gone again, or the limit of watches, which the next
			// Open would report too.
			if err := w.watchTree(path, true); err != nil && !errors.Is(err, fs.ErrNotExist) {
				w.queue.end(fmt.Errorf("cannot watch %q: %w", path, err))
			}
		}
	case mask&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0:
		w.queue.add(Event{Path: path, Kind: Removed})
	case mask&(unix.IN_MODIFY|unix.IN_ATTRIB) != 0:
		w.queue.add(Event{Path: path, Kind: Changed})
	}
}
