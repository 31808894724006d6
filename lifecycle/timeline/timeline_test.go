package timeline

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/formation"
)

var zero = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func add(c *Chart, ms int, kind formation.EventKind, member string) {
	at := time.Duration(ms) * time.Millisecond
	c.Add(formation.Event{Kind: kind, Member: member, At: at, Time: zero.Add(at), Status: formation.Status{Code: 3}})
}

func TestEachProcessHasABarFromItsStartToItsEnd(t *testing.T) {
	var c Chart
	add(&c, 0, formation.Launching, "")
	add(&c, 10, formation.Spawned, "a<b")
	add(&c, 50, formation.Reported, "a<b")
	add(&c, 60, formation.Ready, "a<b")
	add(&c, 60, formation.Ready, "")
	add(&c, 400, formation.Exited, "a<b")
	add(&c, 410, formation.Reaped, "a<b")
	add(&c, 500, formation.Spawned, "a<b") // restarted
	add(&c, 1000, formation.Ended, "")
	svg := c.SVG()
	wellFormed(t, svg)
	if diff := cmp.Diff([]string{"a<b", "a<b"}, c.Members()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	// Names are 8 wide: the axis begins at 20+8*3+12 and is 760 wide for a second.
	for _, want := range []string{
		`x="63.6" y="40" width="30.4" height="16" fill="#f2c14e"><title>a&lt;b: starting at 10 ms</title>`,
		`x="101.6" y="40" width="258.4" height="16" fill="#4d9078"><title>a&lt;b: ready at 60 ms</title>`,
		`gone: status 3`,
		`x="436.0" y="66" width="380.0" height="16" fill="#f2c14e"><title>a&lt;b: starting at 500 ms</title>`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s in\n%s", want, svg)
		}
	}
}

func TestAnEmptyChartIsAPictureToo(t *testing.T) {
	var c Chart
	wellFormed(t, c.SVG())
}

func TestTheAxisHasAFewRoundSteps(t *testing.T) {
	for span, want := range map[time.Duration]time.Duration{
		time.Millisecond: time.Millisecond, 13 * time.Millisecond: 2 * time.Millisecond, 480 * time.Millisecond: 50 * time.Millisecond,
		time.Second: 100 * time.Millisecond, time.Hour: 500 * time.Second,
	} {
		if got := tick(span); got != want {
			t.Errorf("tick(%v) = %v, want %v", span, got, want)
		}
	}
}

func wellFormed(t *testing.T, svg string) {
	t.Helper()
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
	}
}
