package child

import (
	"fmt"
	"strings"
	"testing"

	"murlua/lifecycle/output"
)

func TestLogCountsLinesAndKeepsTheLatest(t *testing.T) {
	l := newLog()
	l.add("m", false, output.Block("a\r\nb\n"))
	l.add("m", true, output.Block("oops\n"))
	_, _, more := l.Since(0)
	l.add("m", false, output.Block("no end"))
	select {
	case <-more:
	default:
		t.Error("nobody was told that there is more")
	}
	lines, next, _ := l.Since(1)
	if got := fmt.Sprint(lines, next); got != "[{m false b} {m true oops} {m false no end}] 4" {
		t.Errorf("got %s", got)
	}
	if got := fmt.Sprint(l.Tail(), l.StderrTail()); got != "[a b oops no end] [oops]" {
		t.Errorf("tails %s", got)
	}
	for i := range 20000 {
		l.add("m", i%2 == 0, output.Block(fmt.Sprintf("%d %s\n", i, strings.Repeat("x", 100))))
	}
	lines, next, _ = l.Since(0)
	if next != 20004 || len(lines) < 2000 || len(lines) > 3000 || !strings.HasPrefix(lines[len(lines)-1].Line, "19999 ") {
		t.Errorf("%d lines are kept, the next is %d", len(lines), next)
	}
	if again, _, _ := l.Since(20003); len(again) != 1 || len(l.Tail()) != tailLines || len(l.StderrTail()) != tailLines {
		t.Errorf("since the last: %v", again)
	}
	if none, _, _ := l.Since(30000); len(none) != 0 {
		t.Errorf("from the future: %v", none)
	}
}
