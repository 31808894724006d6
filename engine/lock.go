package engine

import "sync"

// lock is the VM's lock. It is fair: it goes to the goroutine that has waited longest, handed over directly, so a
// task that only yields lets every other runnable task run first.
type lock struct {
	watchdog *watchdog

	mu    sync.Mutex
	held  bool
	queue []chan struct{}
	head  int
}

// acquire takes the lock. The channel wakes the caller; it has room for one value and belongs to the caller.
func (l *lock) acquire(wake chan struct{}) {
	l.mu.Lock()
	if !l.held {
		l.held = true
		l.mu.Unlock()
		return
	}
	l.queue = append(l.queue, wake)
	l.mu.Unlock()
	l.watchdog.waiting()
	<-wake
}

// enqueue takes a place in the queue without waiting; the owner of the channel then has to receive from it.
func (l *lock) enqueue(wake chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.held {
		l.held = true
		wake <- struct{}{}
		return
	}
	l.queue = append(l.queue, wake)
}

// release gives the lock to the first in the queue.
func (l *lock) release() {
	l.mu.Lock()
	if l.head == len(l.queue) {
		l.held = false
		l.queue, l.head = l.queue[:0], 0
		l.mu.Unlock()
		l.watchdog.calm()
		return
	}
	next := l.queue[l.head]
	l.queue[l.head] = nil
	l.head++
	if l.head > 64 && l.head*2 > len(l.queue) {
		l.queue = append(l.queue[:0], l.queue[l.head:]...)
		l.head = 0
	}
	l.mu.Unlock()
	next <- struct{}{}
}

// turn lets those that wait by now have the lock first, each once, and takes it again. The caller never is without a
// place: others that do the same come after it, each in its turn.
func (l *lock) turn(wake chan struct{}) {
	if !l.contended() {
		return
	}
	l.mu.Lock()
	l.queue = append(l.queue, wake)
	l.mu.Unlock()
	l.watchdog.waiting()
	l.release()
	<-wake
}

// contended says whether somebody waits for the lock.
func (l *lock) contended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head < len(l.queue)
}
