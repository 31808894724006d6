//go:build !linux

package contain

import (
	"errors"
	"time"
)

var errNoMarks = errors.New("there are no marks here")

// Strays fails: there are no marks here.
func Strays([]Mark) (map[Mark][]Process, error) { return nil, errNoMarks }

// EndStrays fails: there are no marks here.
func EndStrays([]Mark, time.Duration) (Swept, error) { return Swept{}, errNoMarks }

// AmongStrays returns false: there are no marks here.
func AmongStrays(Mark) bool { return false }
