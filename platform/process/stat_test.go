package process

import (
	"os"
	"strings"
	"testing"
)

// line is a stat line of the state and count of threads, whose field 22 is 987654.
func line(name, state, threads string) string {
	fields := []string{state}
	for field := 4; field <= 21; field++ {
		fields = append(fields, itoa(field))
	}
	fields[statThreads] = threads
	return "1234 (" + name + ") " + strings.Join(fields, " ") + " 987654 23 24\n"
}

func TestParseStat(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       stat
		dead       bool
	}{
		{"plain", line("sleep", "S", "1"), stat{'S', 1, "987654"}, false},
		{"a name with parentheses and spaces", line("a) (b c", "S", "3"), stat{'S', 3, "987654"}, false},
		{"a name like a whole line", line("x) Z 1 2 3 4 (", "R", "1"), stat{'R', 1, "987654"}, false},
		{"a name with a newline", line("a\nb", "S", "1"), stat{'S', 1, "987654"}, false},
		{"an empty name", line("", "S", "1"), stat{'S', 1, "987654"}, false},
		{"a zombie", line("sleep", "Z", "1"), stat{'Z', 1, "987654"}, true},
		{"a dead one", line("sleep", "X", "0"), stat{'X', 0, "987654"}, true},
		{"a first thread that ended", line("sleep", "Z", "2"), stat{'Z', 2, "987654"}, false},
	} {
		got, err := parseStat([]byte(c.text))
		if err != nil || got != c.want || got.dead() != c.dead {
			t.Errorf("%s: %+v dead %v, %v", c.name, got, got.dead(), err)
		}
	}
}

func TestParseStatRefusesWhatIsIncomplete(t *testing.T) {
	whole := line("sleep", "S", "1")
	for _, text := range []string{"", "1234 sleep S 1 2 3", "1234 (sleep)", "1234 (sleep) ", whole[:strings.Index(whole, " 987654")]} {
		if got, err := parseStat([]byte(text)); err == nil {
			t.Errorf("%q gives %+v", text, got)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte(line("sleep", "S", "1")))
	f.Add([]byte(line("a) (b c", "Z", "x")))
	f.Add([]byte("1 ()"))
	if own, err := os.ReadFile("/proc/self/stat"); err == nil {
		f.Add(own)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		parsed, err := parseStat(text)
		if err != nil {
			return
		}
		if parsed.start == "" || strings.ContainsAny(parsed.start, " \t\r\n)") {
			t.Errorf("%q gives the start %q", text, parsed.start)
		}
		if at := strings.LastIndexByte(string(text), ')'); !strings.Contains(string(text[at:]), parsed.start) {
			t.Errorf("%q gives the start %q, which is not after the name", text, parsed.start)
		}
	})
}
