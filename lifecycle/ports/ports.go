// Package ports hands out free TCP ports of this machine that nobody else is handed meanwhile.
//
// Start with a [Book] and [Book.Take]. A port is free when nothing can be reached on it and no other process of this user
// has it from a Book: each is held by an advisory lock in the home directory, which the kernel lets go of with the process.
// The lock's file goes when the port is given back; those of processes that were killed go with the next port that is taken.
// Ports come from below the range from which systems take those of outgoing connections, so that none is lost between
// being handed out and being listened on.
package ports

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"murlua/lifecycle/home"
	"murlua/platform/fsx"
)

// The ports that are handed out: above those with well-known services, below the ephemeral ones of Linux (32768) and
// macOS (49152).
const (
	first = 20000
	last  = 32767
)

// attempts is how many ports are tried before Take gives up.
const attempts = 2000

// Book holds the ports that it handed out. The zero value is ready; it is safe for concurrent use.
type Book struct {
	mu   sync.Mutex
	held map[int]*fsx.Lock
}

// Take returns a free port. It stays taken until [Book.Close], or the end of the process.
func (b *Book) Take(h home.Home) (int, error) {
	if err := h.Ensure(); err != nil {
		return 0, fmt.Errorf("cannot take a port: %w", err)
	}
	dir := filepath.Join(h.Path(), "ports")
	if err := fsx.EnsurePrivateDir(dir); err != nil {
		return 0, fmt.Errorf("cannot take a port: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held == nil {
		removeAbandoned(dir)
		b.held = map[int]*fsx.Lock{}
	}
	for range attempts {
		number := first + rand.IntN(last-first+1)
		if b.held[number] != nil {
			continue
		}
		lock, err := fsx.TryLock(filepath.Join(dir, strconv.Itoa(number)))
		if errors.Is(err, fsx.ErrLocked) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("cannot take a port: %w", err)
		}
		if !free(number) {
			_ = lock.Remove()
			continue
		}
		b.held[number] = lock
		return number, nil
	}
	return 0, fmt.Errorf("cannot take a port: none of %d tried between %d and %d is free", attempts, first, last)
}

// removeAbandoned removes the files of ports that nobody holds. Whoever takes one of them at the same moment finds it
// taken, and takes another.
func removeAbandoned(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be read stays
	for _, e := range entries {
		if number, err := strconv.Atoi(e.Name()); err != nil || number < first || number > last {
			continue
		}
		if lock, err := fsx.TryLock(filepath.Join(dir, e.Name())); err == nil {
			_ = lock.Remove()
		}
	}
}

// free reports whether the port can be listened on at every address, of both kinds where there are both.
func free(number int) bool {
	listener, err := net.Listen("tcp", ":"+strconv.Itoa(number))
	if err != nil {
		return false
	}
	if err := listener.Close(); err != nil {
		return false
	}
	// A listener on one address alone does not always hinder one on all of them.
	listener, err = net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(number))
	return err == nil && listener.Close() == nil
}

// Close gives all ports back.
func (b *Book) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, lock := range b.held {
		_ = lock.Remove()
	}
	b.held = nil
}
