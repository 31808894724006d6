//go:build !linux && !darwin

package fsx

import (
	"os"
	"time"
)

const lookInterval = time.Second

// dirSource looks once a second.
type dirSource struct{ path string }

func openDirSource(path string) (dirSource, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = NotDirectory(path)
	}
	return dirSource{path}, err
}

func (s dirSource) next(stop <-chan struct{}) (Change, error) {
	timer := time.NewTimer(lookInterval)
	defer timer.Stop()
	select {
	case <-stop:
	case <-timer.C:
	}
	_, err := os.Stat(s.path)
	return Change{All: true}, err
}

func (s dirSource) interrupt() {}

func (s dirSource) close() {}
