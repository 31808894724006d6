package member

import (
	"context"
	"syscall"
)

// Introduce sets what the capsule calls itself, where that is known only after [Start]; empty leaves what is set. It
// is called before [Session.Run].
func (s *Session) Introduce(name, version string) {
	if name != "" {
		s.options.Name = name
	}
	if version != "" {
		s.options.Version = version
	}
}

// Prepare does what has to be done between [Start] and [Session.Run], such as loading the capsule's code. Its context
// ends when a lifeline closes and at a signal that ends the session: whoever started the process may be gone by now.
// Prepare returns what prepare does, or why it was interrupted.
func (s *Session) Prepare(ctx context.Context, prepare func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		if why := s.interrupted(done); why != nil {
			cancel(why)
		}
	}()
	err := prepare(ctx)
	close(done)
	<-watched
	if why := context.Cause(ctx); why != nil {
		err = why
	}
	cancel(nil)
	return err
}

// interrupted returns why the session must not even begin, or nil once done is closed.
func (s *Session) interrupted(done <-chan struct{}) error {
	var formed, spawned <-chan struct{}
	if s.handed.formed != nil {
		formed = s.handed.formed.Ended()
	}
	if s.handed.spawned != nil {
		spawned = s.handed.spawned.Ended()
	}
	for {
		select {
		case <-formed:
			return errFormationEnded
		case <-spawned:
			return errSpawnerEnded
		case <-s.stopped:
			return errStopped
		case signal := <-s.options.Signals:
			if signal == syscall.SIGTERM || signal == syscall.SIGINT {
				return errStopped
			}
		case <-done:
			return nil
		}
	}
}
