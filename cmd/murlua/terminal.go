package main

import "os"

// terminal says what an output is.
type terminal struct {
	isTerminal bool
	columns    func() int // 0 when not known
}

// colours reports whether output to a terminal may have colours: never with NO_COLOR (no-color.org) or a terminal
// that calls itself dumb.
func (o *outside) colours(term terminal) bool {
	return term.isTerminal && o.getenv("NO_COLOR") == "" && o.getenv("TERM") != "dumb"
}

// terminalOf looks at an output. A dumb terminal cannot rewrite lines and counts as none.
func (o *outside) terminalOf(file *os.File) terminal {
	if o.getenv("TERM") == "dumb" {
		return terminal{columns: func() int { return 0 }}
	}
	return probeTerminal(file)
}
