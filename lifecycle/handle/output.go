package handle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"murlua/platform/watch"
)

const (
	// pollBytes bounds what one poll returns. The file keeps everything.
	pollBytes = 16 * 1024
	// lineBytes bounds what one line read returns; a longer line comes in pieces.
	lineBytes = 1 << 20
)

// Poll returns what the handle has written since the last read: at most 16 KiB, the newest, with the number of
// bytes that were skipped before it. Invalid UTF-8 is replaced. A handle that has written nothing, or nothing more,
// gives an empty text.
func (h *Handle) Poll() (text string, skipped int64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, size, err := h.open()
	if err != nil || f == nil {
		return "", 0, err
	}
	defer f.Close()
	available := size - h.cursor
	if available <= 0 {
		return "", 0, nil
	}
	skipped = max(0, available-pollBytes)
	buf := make([]byte, available-skipped)
	n, err := f.ReadAt(buf, h.cursor+skipped)
	if err != nil && err != io.EOF {
		return "", 0, fmt.Errorf("cannot read the output of process handle %d: %w", h.id, err)
	}
	h.cursor = size
	return strings.ToValidUTF8(string(buf[:n]), "\uFFFD"), skipped, nil
}

// open opens the capture file; nil when there is none, which is as good as empty. The caller holds h.mu.
func (h *Handle) open() (*os.File, int64, error) {
	if h.capture == "" {
		return nil, 0, nil
	}
	f, err := os.Open(h.capture)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read the output of process handle %d: %w", h.id, err)
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// ReadLine returns the next line of output without its end, waiting for one as long as the handle may write more
// and ctx allows (then its cause is returned). At the end what is left is the last line, and after it io.EOF. A line
// of more than a megabyte comes in pieces. The bytes are as they were written.
func (h *Handle) ReadLine(ctx context.Context) (string, error) {
	var watcher *watch.Watcher
	defer func() {
		if watcher != nil {
			watcher.Close()
		}
	}()
	for {
		ended := h.State().Over() // before reading, so that what came until then is read
		line, ok, err := h.takeLine(ended)
		if err != nil || ok {
			return line, err
		}
		if ended {
			return "", io.EOF
		}
		if watcher == nil {
			if watcher, err = watch.Open(h.capture, watch.Options{}); err == nil {
				continue // what came before the watch is read now
			}
		}
		if err := h.awaitOutput(ctx, watcher); err != nil {
			return "", err
		}
	}
}

// takeLine takes a whole line from the capture file, or what there is when the handle has ended.
func (h *Handle) takeLine(ended bool) (line string, ok bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, size, err := h.open()
	if err != nil || f == nil {
		return "", false, err
	}
	defer f.Close()
	var got []byte
	for chunk := int64(4096); h.cursor+int64(len(got)) < size && len(got) < lineBytes; chunk *= 2 {
		buf := make([]byte, min(chunk, size-h.cursor-int64(len(got)), lineBytes-int64(len(got))))
		n, err := f.ReadAt(buf, h.cursor+int64(len(got)))
		if err != nil && err != io.EOF {
			return "", false, fmt.Errorf("cannot read the output of process handle %d: %w", h.id, err)
		}
		if end := bytes.IndexByte(buf[:n], '\n'); end >= 0 {
			got = append(got, buf[:end]...)
			h.cursor += int64(len(got)) + 1
			return string(bytes.TrimSuffix(got, []byte("\r"))), true, nil
		}
		got = append(got, buf[:n]...)
		if n == 0 {
			break
		}
	}
	if len(got) >= lineBytes || ended && len(got) > 0 {
		h.cursor += int64(len(got))
		return string(got), true, nil
	}
	return "", false, nil
}

// awaitOutput waits until the capture file changes, the handle ends or ctx does. Where the system does not report
// changes of files it looks again after a while.
func (h *Handle) awaitOutput(ctx context.Context, watcher *watch.Watcher) error {
	const lookAgain = 50 * time.Millisecond
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	if watcher == nil {
		waiting, stop = context.WithTimeout(ctx, lookAgain)
		defer stop()
	}
	go func() {
		select {
		case <-h.Over():
			stop()
		case <-waiting.Done():
		}
	}()
	if watcher == nil {
		<-waiting.Done()
	} else {
		_, _ = watcher.Next(waiting) // whatever ends it, the caller looks again
	}
	return context.Cause(ctx)
}
