//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// nobody is the user that owns nothing.
const nobody = 65534

// becomeNobody makes this process another user's.
func becomeNobody() error {
	if os.Geteuid() != 0 {
		return errors.New("only root can become another user")
	}
	return syscall.Setuid(nobody)
}
