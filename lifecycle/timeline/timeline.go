// Package timeline draws the events of formations as a picture: a bar for each member, from the start of its process
// to its end, in the colours of what it went through.
//
// [Chart] collects events, [Chart.SVG] draws what it has. A chart is safe for concurrent use.
package timeline

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"murlua/lifecycle/formation"
)

// Chart collects the events of one or more formations. The zero value is ready for use.
type Chart struct {
	mu    sync.Mutex
	began time.Time
	rows  []*row
	open  map[string]*row // by member, the row of the process that runs
	end   time.Duration
}

// row is one process of one member: a restarted member has several.
type row struct {
	member string
	marks  []mark
	ended  bool
}

// mark is the moment at which something began.
type mark struct {
	at    time.Duration
	phase phase
	note  string
}

type phase struct{ name, colour string }

// The phases of a member, in the order in which they come. The colours differ in lightness too.
var (
	starting = phase{"starting", "#f2c14e"}
	reported = phase{"reported", "#8fb8de"}
	ready    = phase{"ready", "#4d9078"}
	running  = phase{"running", "#3a7ca5"}
	failing  = phase{"failed", "#b4436c"}
	stopping = phase{"stopping", "#9a9a9a"}
	gone     = phase{"gone", ""}
)

var phases = map[formation.EventKind]phase{
	formation.Spawned:      starting,
	formation.Reported:     reported,
	formation.Ready:        ready,
	formation.EntryStarted: running,
	formation.Failed:       failing,
	formation.Stopping:     stopping,
	formation.Exited:       gone,
}

// Add takes the next event. Events may come from several formations; their times of day put them on one axis.
func (c *Chart) Add(e formation.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open, c.began = map[string]*row{}, e.Time.Add(-e.At)
	}
	at := e.Time.Sub(c.began)
	c.end = max(c.end, at)
	next, known := phases[e.Kind]
	if !known || e.Member == "" {
		return
	}
	r := c.open[e.Member]
	if r == nil || next == starting && r.ended {
		r = &row{member: e.Member}
		c.open[e.Member] = r
		c.rows = append(c.rows, r)
	}
	if r.ended {
		return
	}
	note := next.name
	if next == gone {
		note, r.ended = "gone: "+e.Status.String(), true
	}
	r.marks = append(r.marks, mark{at, next, note})
}

const (
	rowHeight = 26
	barHeight = 16
	left      = 20
	plot      = 760 // the width of the time axis
	top       = 40
)

// SVG draws the chart as an SVG document with a text for each mark, for pointers and screen readers.
func (c *Chart) SVG() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	span := max(c.end, time.Millisecond)
	labels := left
	for _, r := range c.rows {
		labels = max(labels, left+8*len(r.member)+12)
	}
	x := func(at time.Duration) float64 { return float64(labels) + plot*float64(at)/float64(span) }
	width, height := labels+plot+140, top+rowHeight*len(c.rows)+50

	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="13">`+"\n", width, height)
	fmt.Fprintf(&out, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	c.drawAxis(&out, x, span, height)
	for i, r := range c.rows {
		y := top + rowHeight*i
		fmt.Fprintf(&out, `<text x="%d" y="%d">%s</text>`+"\n", left, y+barHeight-3, html.EscapeString(r.member))
		c.drawRow(&out, r, y, x)
	}
	drawLegend(&out, labels, height-14)
	out.WriteString("</svg>\n")
	return out.String()
}

func (c *Chart) drawRow(out *strings.Builder, r *row, y int, x func(time.Duration) float64) {
	for i, m := range r.marks {
		until := c.end
		if i+1 < len(r.marks) {
			until = r.marks[i+1].at
		}
		if m.phase == gone {
			fmt.Fprintf(out, `<text x="%.1f" y="%d" font-size="11" fill="#555">%s</text>`+"\n", x(m.at)+4, y+barHeight-4, html.EscapeString(m.note))
			continue
		}
		fmt.Fprintf(out, `<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"><title>%s: %s at %s</title></rect>`+"\n",
			x(m.at), y, math.Max(x(until)-x(m.at), 0.5), barHeight, m.phase.colour, html.EscapeString(r.member), m.note, text(m.at))
	}
}

func (c *Chart) drawAxis(out *strings.Builder, x func(time.Duration) float64, span time.Duration, height int) {
	step := tick(span)
	for at := time.Duration(0); at <= span; at += step {
		fmt.Fprintf(out, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/>`, x(at), top-8, x(at), height-40)
		fmt.Fprintf(out, `<text x="%.1f" y="%d" font-size="11" fill="#555" text-anchor="middle">%s</text>`+"\n", x(at), top-14, text(at))
	}
}

func drawLegend(out *strings.Builder, x, y int) {
	for _, p := range []phase{starting, reported, ready, running, failing, stopping} {
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="12" height="12" fill="%s"/><text x="%d" y="%d" font-size="11">%s</text>`+"\n",
			x, y-10, p.colour, x+17, y, p.name)
		x += 90
	}
}

// tick returns a step of 1, 2 or 5 times a power of ten that puts at most ten marks on the axis.
func tick(span time.Duration) time.Duration {
	for step := time.Millisecond; ; step *= 10 {
		for _, factor := range []time.Duration{1, 2, 5} {
			if span/(step*factor) <= 10 {
				return step * factor
			}
		}
	}
}

func text(d time.Duration) string {
	if d < time.Second && d%time.Second != 0 {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", d.Seconds()), "0"), ".") + " s"
}

// Members returns the names of the rows, in the order in which the processes were started.
func (c *Chart) Members() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	names := make([]string, len(c.rows))
	for i, r := range c.rows {
		names[i] = r.member
	}
	return slices.Clip(names)
}
