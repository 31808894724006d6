//go:build !linux

package child

import "os"

func outputPipe() (reader, writer *os.File, err error) { return os.Pipe() }
