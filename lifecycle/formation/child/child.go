package child

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"murlua/lifecycle/keeper"
	"murlua/lifecycle/lifeline"
	"murlua/lifecycle/output"
	"murlua/platform/contain"
)

// Spec says what to start and how to end it. Name, Path and Args are required.
type Spec struct {
	// Name is how output lines name the member.
	Name string
	// Path is the program, looked up in the PATH of Env when it has no slash; Args are its arguments, with its
	// name first.
	Path string
	Args []string
	Dir  string
	Env  []string

	// Lifeline and Channel become the descriptors [LifelineFD] and [ChannelFD]; a command has neither. They are
	// closed when the process is gone, or was not started.
	Lifeline *lifeline.Line
	Channel  *Channel

	// Foreground leaves the process in this program's process group, with Stdout and Stderr as its output. Otherwise it
	// leads a group of its own and its output is read.
	Foreground     bool
	Stdout, Stderr *os.File
	// Report makes the first line of standard output the readiness line: see [Child.Report].
	Report bool
	// OnLines gets all other lines, from the goroutine that reads the stream, before more of it is read; calls for the
	// two streams overlap. It may be nil.
	OnLines func(Lines)
	// OnRung gets each step of a stop as it is taken: the first from whoever begins the stop, a further one from
	// [Child.Attend]. Calls do not overlap. It may be nil.
	OnRung func(rung string)
	// Kept is where what the process writes, except the readiness line, is kept. It is closed when all has been read,
	// or the process was not started. It may be nil.
	Kept *output.Lazy

	// Signal asks the process to end; 0 means that its lifeline does. Grace is how long it then has.
	Signal syscall.Signal
	Grace  time.Duration

	// Keeper contains the process; nil means that nothing does but its group. Class demands a containment of the
	// keeper.
	Keeper *keeper.Keeper
	Class  contain.Class
}

// The descriptors that a member inherits besides the standard streams.
const (
	LifelineFD = 3
	ChannelFD  = 4
)

// Child is one started process.
type Child struct {
	spec    Spec
	process started
	log     *Log
	out     *streams // nil in the foreground
	began   time.Time

	reaped chan struct{}

	mu       sync.Mutex
	stopping bool
	report   StopReport
}

// started is a started process, whoever its parent is.
type started interface {
	pid() int
	class() contain.Class
	exited() <-chan struct{}
	status() Status // after exited
	// clear ends at once what an exited process left, and wait leaves that to a stop that is under way. Both return
	// when nothing is left.
	clear() StopReport
	wait(s *Spec) StopReport
}

// StopReport says how far a stop had to go.
type StopReport struct {
	// Rung is the last step: one of the Rung constants.
	Rung string
	// Escaped are processes that had left the group and outlived the first one; Killed are those that had to be
	// killed; Survivors are those that could not be.
	Escaped, Killed, Survivors []contain.Process
}

// The rungs of a stop, from the first to the last.
const (
	RungGone     = "gone"     // it had ended by itself
	RungLifeline = "lifeline" // it ended when its lifeline was closed
	RungSignal   = "signal"   // it ended after its stop signal
	RungKill     = "kill"     // something of it had to be killed
	RungSurvivor = "survivor" // something of it could not be killed
)

// Start starts the process, which the caller then attends to: [Child.Attend]. Its standard input is the null device. ctx
// bounds the start alone. After an error nothing is left, and the lifeline and the channel are closed.
func Start(ctx context.Context, s Spec) (*Child, error) {
	c := &Child{spec: s, log: newLog(), reaped: make(chan struct{})}
	var pipes [2]pipe
	if !s.Foreground {
		for i := range pipes {
			reader, writer, err := outputPipe()
			if err != nil {
				pipes[0].close()
				c.release()
				s.Kept.Close()
				return nil, fmt.Errorf("its output could not be connected: %w", err)
			}
			pipes[i] = pipe{reader, writer}
		}
		s.Stdout, s.Stderr = pipes[0].writer, pipes[1].writer
	}
	c.began = time.Now()
	err := c.start(ctx, &s)
	for _, p := range pipes {
		p.closeWriter()
	}
	if s.Channel != nil {
		s.Channel.spawned()
	}
	if err != nil {
		for _, p := range pipes {
			p.close()
		}
		c.release()
		s.Kept.Close()
		return nil, err
	}
	if s.Lifeline != nil {
		s.Lifeline.Spawned()
	}
	if !s.Foreground {
		c.out = readStreams(&s, c.log, pipes[0].reader, pipes[1].reader)
	}
	return c, nil
}

func (c *Child) start(ctx context.Context, s *Spec) (err error) {
	if s.Keeper != nil {
		c.process, err = startKept(ctx, s)
	} else {
		c.process, err = startDirect(s)
	}
	return err
}

// pipe is a pair of ends of which either may be gone.
type pipe struct{ reader, writer *os.File }

func (p pipe) closeWriter() {
	if p.writer != nil {
		p.writer.Close()
	}
}

func (p pipe) close() {
	p.closeWriter()
	if p.reader != nil {
		p.reader.Close()
	}
}

// firstRung is how a stop begins.
func (s *Spec) firstRung() string {
	if s.Signal != 0 {
		return RungSignal
	}
	return RungLifeline
}

func (s *Spec) files() []*os.File {
	if s.Lifeline == nil {
		return nil
	}
	return []*os.File{s.Lifeline.Reader(), s.Channel.reader}
}

// release closes what the process was handed.
func (c *Child) release() {
	if c.spec.Lifeline != nil {
		c.spec.Lifeline.Close()
	}
	if c.spec.Channel != nil {
		c.spec.Channel.Close()
	}
}

// Attend follows the process to its end and returns when nothing is left of it and all that it wrote has been read. It is
// called once, in a goroutine of the caller's. exited is called when the process has ended.
//
// Whatever the process leaves behind is ended at once, since nothing asks that to end and nobody waits for it. Only what a
// stop signal has asked still has the grace of that stop.
func (c *Child) Attend(exited func()) {
	defer close(c.reaped)
	<-c.process.exited()
	exited()
	c.mu.Lock()
	stopping := c.stopping
	c.mu.Unlock()
	var report StopReport
	if !stopping || c.spec.Signal == 0 {
		report = c.process.clear()
	}
	if stopping {
		report = c.process.wait(&c.spec)
		if report.Rung == RungKill || report.Rung == RungSurvivor {
			c.tell(report.Rung)
		}
	}
	c.mu.Lock()
	c.report = report
	c.mu.Unlock()
	c.release()
	if c.out != nil {
		c.out.finish()
	}
	c.spec.Kept.Close()
}

// PID returns the number of the process.
func (c *Child) PID() int { return c.process.pid() }

// Class returns the containment that the process is in.
func (c *Child) Class() contain.Class { return c.process.class() }

// Log returns what the process has written; in the foreground nothing is read.
func (c *Child) Log() *Log { return c.log }

// Began returns when the process was started.
func (c *Child) Began() time.Time { return c.began }

// Report returns the channel that gets the readiness line, and is closed at the end of standard output. It is nil for
// a child whose Spec asked for none.
func (c *Child) Report() <-chan []byte {
	if c.out == nil {
		return nil
	}
	return c.out.report
}

// StderrEnded closes when all of standard error has been read. It is closed already in the foreground.
func (c *Child) StderrEnded() <-chan struct{} {
	if c.out == nil {
		ended := make(chan struct{})
		close(ended)
		return ended
	}
	return c.out.stderrEnded
}

// Exited closes when the process has ended. What it started may still be there.
func (c *Child) Exited() <-chan struct{} { return c.process.exited() }

// Running reports whether the process has not ended.
func (c *Child) Running() bool {
	select {
	case <-c.process.exited():
		return false
	default:
		return true
	}
}

// Reaped closes when nothing of the process is left and all that it wrote has been read.
func (c *Child) Reaped() <-chan struct{} { return c.reaped }

// Status returns how the process ended, once Exited is closed.
func (c *Child) Status() Status { return c.process.status() }

// StopReport returns how the end went, once Reaped is closed.
func (c *Child) StopReport() StopReport {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.report
}

// Send writes a line to the channel.
func (c *Child) Send(line []byte) error {
	if c.spec.Channel == nil {
		return os.ErrClosed
	}
	return c.spec.Channel.Send(line)
}

// StopAll stops children that have the same keeper, if any, at the same time: it closes their lifelines or sends their stop
// signals, gives each its grace, kills what is left then or when ctx ends, and returns when everything is reaped.
func StopAll(ctx context.Context, k *keeper.Keeper, children []*Child) {
	var commands []*keeper.Kept
	var stops sync.WaitGroup
	defer stops.Wait()
	for _, c := range children {
		if !c.beginStop() {
			continue
		}
		switch p := c.process.(type) {
		case *kept:
			commands = append(commands, p.Kept)
		case *direct:
			stops.Go(func() { p.stop(ctx, &c.spec) })
		}
	}
	if len(commands) > 0 {
		defer k.Ask(ctx, commands)()
	}
	for _, c := range children {
		if c.spec.Lifeline != nil {
			c.spec.Lifeline.Close()
		}
	}
	for _, c := range children {
		<-c.reaped
	}
}

// beginStop reports whether this is the first stop of a process that runs.
func (c *Child) beginStop() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping || !c.Running() {
		return false
	}
	c.stopping = true
	c.tell(c.spec.firstRung()) // before anything can come of it
	return true
}

func (c *Child) tell(rung string) {
	if c.spec.OnRung != nil {
		c.spec.OnRung(rung)
	}
}

// Stop is [StopAll] for one, and says how the end went.
func (c *Child) Stop(ctx context.Context) StopReport {
	StopAll(ctx, c.spec.Keeper, []*Child{c})
	return c.StopReport()
}

// Kill ends everything of the process at once and returns when it is reaped.
func (c *Child) Kill() StopReport {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	return c.Stop(over)
}
