package pattern

import (
	"errors"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for _, c := range []struct {
		subject, pattern string
		start, end       int
	}{
		{"hello", "l+", 2, 4},
		{"hello", "^l", -1, -1},
		{"hello", "o$", 4, 5},
		{"a$b", "$b", 1, 3},
		{"", "", 0, 0},
		{"abc", "", 0, 0},
		{"x = 10", "%d+", 4, 6},
		{"f(a(b)c)d", "%b()", 1, 8},
		{"THE (quick) fox", "%f[%a]%a+%f[%A]", 0, 3},
		{"abcabc", "(a)(b)c%1%2", 0, 5},
		{"a-z", "[a%-z]+", 0, 3},
		{"]x", "[]]", 0, 1},
		{"^x", "[x^]+", 0, 2},
		{"a\x00b", "%z", 1, 2},
		{"key = value", "(%w+)%s*=%s*(%w+)", 0, 11},
		{"aaa", "a-", 0, 0},
		{"aaab", "a-b", 0, 4},
		{"abc", "a?b?c?d?", 0, 3},
		{"12ab", "%D+", 2, 4},
		{"0xFf", "%x+$", 2, 4},
	} {
		m := Matcher{Subject: c.subject, Pattern: c.pattern}
		start, end, err := m.Find(0)
		if err != nil || start != c.start || start >= 0 && end != c.end {
			t.Errorf("%q in %q: %d..%d, %v; want %d..%d", c.pattern, c.subject, start, end, err, c.start, c.end)
		}
	}
}

func TestMalformed(t *testing.T) {
	for pattern, want := range map[string]error{
		"%":                      ErrEndsInPercent,
		"a[":                     ErrMissingBracket,
		"a[^":                    ErrMissingBracket,
		"a[%":                    ErrMissingBracket,
		"a[]":                    ErrMissingBracket,
		"a)":                     ErrInvalidCapture,
		"%b":                     ErrBalance,
		"%bx":                    ErrBalance,
		"%f":                     ErrFrontier,
		"%1":                     ErrBackReference,
		strings.Repeat("()", 33): ErrTooManyCaptures,
	} {
		m := Matcher{Subject: "abc", Pattern: pattern}
		if _, _, err := m.Find(0); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", pattern, err, want)
		}
	}
	m := Matcher{Subject: "abc", Pattern: "(a"}
	if _, end, err := m.Find(0); err != nil || end != 1 {
		t.Fatalf("%d, %v", end, err)
	}
	if _, err := m.Captures(); !errors.Is(err, ErrUnfinished) {
		t.Errorf("captures: %v", err)
	}
}

func TestTickEndsABadPattern(t *testing.T) {
	stop, ticks := errors.New("stop"), 0
	m := Matcher{Subject: strings.Repeat("a", 1_000_000), Pattern: ".-.-.-b", Tick: func() error {
		if ticks++; ticks == 100 {
			return stop
		}
		return nil
	}}
	if _, _, err := m.Find(0); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
	m = Matcher{Subject: strings.Repeat("a", 1_000_000), Pattern: strings.Repeat("a?", 500_000)}
	if _, _, err := m.Find(0); !errors.Is(err, ErrTooComplex) {
		t.Errorf("got %v", err)
	}
}

func FuzzMatcher(f *testing.F) {
	for _, seed := range []string{"%", "[", "[^]", "%f[", "%b()", "(a)%1", "a-b", "()()", "[a-]", "[%", "[]-a]", "^a$", "%w+[%d%-]*"} {
		f.Add("subject (a) 12", seed)
	}
	f.Fuzz(func(t *testing.T, subject, pattern string) {
		stop, ticks := errors.New("stop"), 0
		m := Matcher{Subject: subject, Pattern: pattern, Tick: func() error {
			if ticks++; ticks > 50 {
				return stop
			}
			return nil
		}}
		start, end, err := m.Find(0)
		if err != nil || start < 0 {
			return
		}
		if start > end || end > len(subject) {
			t.Fatalf("match at %d..%d of %d", start, end, len(subject))
		}
		captures, err := m.Captures()
		if err != nil {
			return
		}
		for _, c := range captures {
			if c.Start < 0 || c.End < c.Start || c.End > len(subject) {
				t.Fatalf("capture %+v of %d", c, len(subject))
			}
		}
	})
}
