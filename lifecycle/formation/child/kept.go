package child

import (
	"context"

	"murlua/lifecycle/keeper"
	"murlua/platform/contain"
)

// kept is a process under a keeper.
type kept struct {
	*keeper.Kept
}

func startKept(ctx context.Context, s *Spec) (started, error) {
	signal := s.Signal
	if signal == 0 {
		signal = keeper.NoSignal
	}
	grace := s.Grace
	if grace == 0 {
		grace = -1
	}
	k, err := s.Keeper.Start(ctx, keeper.Command{
		Path: s.Path, Args: s.Args, Env: s.Env, Dir: s.Dir, Stdout: s.Stdout, Stderr: s.Stderr, Files: s.files(),
		Class: s.Class, StopSignal: signal, Grace: grace, Foreground: s.Foreground,
	})
	if err != nil {
		return nil, err
	}
	return &kept{Kept: k}, nil
}

func (k *kept) pid() int                { return k.PID() }
func (k *kept) class() contain.Class    { return k.Class() }
func (k *kept) exited() <-chan struct{} { return k.Exited() }
func (k *kept) clear() StopReport       { return report(k.Kept.Kill()) }

func (k *kept) status() Status {
	s := k.Status()
	return Status{Code: s.Code, Signal: s.Signal}
}

func (k *kept) wait(*Spec) StopReport {
	<-k.Empty()
	return report(k.Kept.Stop(context.Background(), keeper.StopOptions{})) // nothing is left to stop: it only tells
}

func report(r keeper.StopReport) StopReport {
	rungs := map[keeper.Rung]string{
		keeper.RungGone: RungGone, keeper.RungAsked: RungLifeline, keeper.RungSignal: RungSignal,
		keeper.RungKill: RungKill, keeper.RungSurvivor: RungSurvivor,
	}
	return StopReport{Rung: rungs[r.Rung], Escaped: r.Escaped, Killed: r.Killed, Survivors: r.Survivors}
}
