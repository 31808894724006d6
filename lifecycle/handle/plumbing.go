package handle

import (
	"fmt"
	"io"
	"os"
)

// plumbing is the files between the stages of a handle. "Theirs" are the ends that the stages get.
type plumbing struct {
	capture *os.File
	input   *os.File   // our end of the first stage's standard input, or of the terminal
	theirs  []*os.File // closed when the stages have started
	stdin   []*os.File // by stage
	stdout  []*os.File
	stderr  []*os.File
	master  *os.File // the terminal's, which is copied to the capture file
}

// openPlumbing opens everything that the stages need. The capture file is appended to, so that the stages' writes
// do not overwrite each other.
func openPlumbing(capture string, spec *Spec, stages int) (p *plumbing, err error) {
	p = &plumbing{stdin: make([]*os.File, stages), stdout: make([]*os.File, stages), stderr: make([]*os.File, stages)}
	defer func() {
		if err != nil {
			p.closeTheirs()
			p.closeOurs()
			if p.input != nil {
				p.input.Close()
			}
			p = nil
		}
	}()
	if p.capture, err = os.OpenFile(capture, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return p, fmt.Errorf("cannot create the file for a handle's output: %w", err)
	}
	if spec.Terminal {
		var slave *os.File
		if p.master, slave, err = openTerminal(spec.Rows, spec.Columns); err != nil {
			return p, err
		}
		p.theirs = append(p.theirs, slave)
		p.stdin[0], p.stdout[0], p.stderr[0] = slave, slave, slave
		if p.input, err = duplicate(p.master); err != nil {
			return p, err
		}
		return p, nil
	}
	for i := range stages {
		p.stdout[i], p.stderr[i] = p.capture, p.capture
		if i == 0 && !spec.Stdin {
			continue
		}
		r, w, err := os.Pipe()
		if err != nil {
			return p, fmt.Errorf("cannot make a pipe between stages: %w", err)
		}
		p.theirs = append(p.theirs, r)
		p.stdin[i] = r
		if i == 0 {
			p.input = w
			continue
		}
		p.theirs = append(p.theirs, w)
		p.stdout[i-1] = w
	}
	return p, nil
}

func (p *plumbing) of(stage int) (stdin, stdout, stderr *os.File) {
	return p.stdin[stage], p.stdout[stage], p.stderr[stage]
}

func (p *plumbing) closeTheirs() {
	for _, f := range p.theirs {
		f.Close()
	}
	p.theirs = nil
}

// closeOurs closes what the handle itself held, but for the input, which is the handle's.
func (p *plumbing) closeOurs() {
	if p.capture != nil && p.master == nil {
		p.capture.Close()
	}
}

// copyTerminal copies what the terminal shows to the capture file until every process on it has let go. The
// returned channel closes when that is done; without a terminal it is closed.
func (p *plumbing) copyTerminal() <-chan struct{} {
	done := make(chan struct{})
	if p.master == nil {
		close(done)
		return done
	}
	go func() {
		defer close(done)
		defer p.capture.Close()
		defer p.master.Close()
		_, _ = io.Copy(p.capture, p.master) // ends with EIO when the last process has let go of the terminal
	}()
	return done
}
