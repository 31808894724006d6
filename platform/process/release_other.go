//go:build !linux

package process

// ReleaseProgram lets go of what only the start of the program needed, where that can be done. Here it cannot.
func ReleaseProgram() {}
