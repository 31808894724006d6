package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// policy decides after each end whether a group is decided. It returns the winner, -1 for "all of them", or -2 to go on.
type policy func(g *group, ended int) int

const (
	everyone  = -1
	undecided = -2
)

var errGroupDecided = errors.New("the group it belonged to was decided")

// allOf ends with the first failure, or when all have succeeded.
func allOf(g *group, ended int) int {
	if g.tasks[ended].err != nil || g.left == 0 {
		return everyone
	}
	return undecided
}

// anyOf ends with the first success, or when all have failed.
func anyOf(g *group, ended int) int {
	if g.tasks[ended].err == nil {
		return ended
	}
	if g.left == 0 {
		return everyone
	}
	return undecided
}

// firstOf ends with the first end.
func firstOf(_ *group, ended int) int { return ended }

// group is tasks that run side by side until a policy says enough; then the others are stopped.
type group struct {
	tasks []*Task
	left  int
}

// runGroup is all, any and race: it takes a list of functions and tasks.
func runGroup(c *Call, decide policy) error {
	list := c.Table(1)
	g := &group{}
	for i := 1; i <= list.Len(); i++ {
		t, err := groupMember(c, i, list.RawGetInt(i))
		if err != nil {
			return err
		}
		t.joined.Store(true)
		g.tasks = append(g.tasks, t)
	}
	g.left = len(g.tasks)
	if g.left == 0 {
		return c.Return(c.l.NewTable())
	}
	winner, failure := g.wait(c, decide)
	if failure == nil {
		failure = g.failure(winner)
	}
	cause := error(errGroupDecided)
	if failure != nil {
		cause = &Error{Kind: KindCancelled, Message: "another task of its group failed", Cause: failure}
	}
	endAll(c, g.tasks, cause)
	if failure != nil {
		return failure
	}
	if winner != everyone {
		return c.Return(anyValues(g.tasks[winner].results)...)
	}
	results := c.l.CreateTable(len(g.tasks), 0)
	for i, t := range g.tasks {
		if len(t.results) > 0 {
			results.RawSetInt(i+1, t.results[0])
		}
	}
	return c.Return(results)
}

func groupMember(c *Call, i int, v lua.LValue) (*Task, error) {
	if fn, ok := v.(*lua.LFunction); ok {
		return c.Spawn(fmt.Sprintf("task %d of a group", i), false, fn)
	}
	if t, ok := Unbox(v, c.t.host.taskType); ok {
		return t.(*Task), nil
	}
	c.BadArgument(1, "element %d is a %s; functions and tasks are expected", i, typeName(v))
	return nil, nil
}

// wait waits for ends until the policy has decided.
func (g *group) wait(c *Call, decide policy) (winner int, failure error) {
	ends := make(chan int, len(g.tasks))
	for i, t := range g.tasks {
		t.watch(func() { ends <- i })
	}
	winner = undecided
	err := c.Block(func(ctx context.Context) error {
		for winner == undecided {
			select {
			case i := <-ends:
				g.left--
				winner = decide(g, i)
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	return winner, err
}

// failure is the error of a decided group: of the winner, or of all that had failed by then.
func (g *group) failure(winner int) error {
	if winner != everyone {
		return g.tasks[winner].err
	}
	var failed []error
	var lines []string
	for i, t := range g.tasks {
		if !t.isDone() || t.err == nil {
			continue
		}
		failed = append(failed, t.err)
		lines = append(lines, fmt.Sprintf("#%d: %v", i+1, t.err))
	}
	if len(failed) == 0 {
		return nil
	}
	return &Error{
		Kind:    KindTasks,
		Message: fmt.Sprintf("%d of %d tasks failed: %s", len(failed), len(g.tasks), strings.Join(lines, "; ")),
		Fields:  map[string]any{"errors": failed},
		Cause:   errors.Join(failed...),
	}
}
