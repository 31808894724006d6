package keeper

import (
	"errors"
	"time"

	"murlua/lifecycle/marks"
)

// strayWithin bounds how long a start waits for what others left: far above what a kill takes, and short enough for one
// that is stuck in the kernel, which every start would wait for.
const strayWithin = time.Second

var errNoFolder = errors.New("there is no home for it")

// note sees to it that the keeper's marks are known to whoever comes after us, before the first command that is told by
// its mark alone. It ends what others left in the same way. Without a note everything works, except that.
func (l *link) note() {
	l.noting.Do(func() {
		path, err := l.writeNote()
		if err == nil {
			l.noted = path                                      // its end removes it
			_ = l.conn.write(append([]byte{kindNote}, path...)) // a keeper that is gone is noticed by run
		}
		l.keeper.mu.Lock()
		l.keeper.noteless = err
		l.keeper.mu.Unlock()
	})
}

func (l *link) writeNote() (path string, err error) {
	folder := l.keeper.options.Marks
	if folder == "" {
		return "", errNoFolder
	}
	_, _ = marks.EndAll(folder, strayWithin) // what could not be ended keeps its note, and the next start tries again
	return marks.Write(folder, l.marks, l.pid)
}
