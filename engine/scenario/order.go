package scenario

import "sync"

// inOrder hands events of files that run at the same time to one receiver, so that the events of a file stand
// together and the files follow each other in order. The first file that is not complete is passed on as it
// happens; events of later ones wait. It is safe for concurrent use.
type inOrder struct {
	mu      sync.Mutex
	pass    func(Event)
	waiting [][]Event // by number of the file
	ended   []bool
	current int
}

func newInOrder(files int, pass func(Event)) *inOrder {
	return &inOrder{pass: pass, waiting: make([][]Event, files), ended: make([]bool, files)}
}

// send takes an event of the file with the given number; FileEnded is its last.
func (o *inOrder) send(file int, e Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[file] = append(o.waiting[file], e)
	o.ended[file] = o.ended[file] || e.Kind == FileEnded
	for o.current < len(o.waiting) {
		for _, e := range o.waiting[o.current] {
			o.pass(e)
		}
		o.waiting[o.current] = nil
		if !o.ended[o.current] {
			return
		}
		o.current++
	}
}
