package output

import "sync"

// Lazy is a [File] that is made when something is written first: what writes nothing costs nothing. A nil Lazy keeps
// nothing. It is safe for concurrent use.
type Lazy struct {
	create func() (*File, error)

	mu     sync.Mutex
	tried  bool
	closed bool
	file   *File
}

// Later returns a file that create makes with the first write. An error of create is create's to tell of; what is
// written then is not kept.
func Later(create func() (*File, error)) *Lazy { return &Lazy{create: create} }

// Write is [File.Write].
func (l *Lazy) Write(stream string, block Block) {
	if l == nil || len(block) == 0 {
		return
	}
	l.mu.Lock()
	if !l.tried && !l.closed {
		l.tried = true
		l.file, _ = l.create()
	}
	file := l.file
	l.mu.Unlock()
	if file != nil {
		file.Write(stream, block)
	}
}

// Close is [File.Close]. Nothing is kept afterwards.
func (l *Lazy) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}
