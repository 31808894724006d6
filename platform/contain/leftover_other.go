//go:build !linux

package contain

import "errors"

// Leftovers returns nothing: there are no cgroups here.
func Leftovers() []Leftover { return nil }

// End fails: there are no cgroups here.
func (l Leftover) End() (killed int, err error) { return 0, errors.New("there are no cgroups here") }
