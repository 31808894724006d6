//go:build !unix

package process

// HasControllingTerminal is true: a console window ends what runs in it, and nothing here can tell
// whether there is one.
func HasControllingTerminal() bool { return true }
