package handle

import (
	"errors"
	"fmt"
	"strings"
)

// ParseLine splits a command line into stages ("a | b") and words. Quotes work as in a shell: nothing is special
// in single quotes; in double quotes and outside, a backslash takes the next character as it is. Nothing is
// expanded and no shell runs: what only a shell could do is refused, with advice to give it to one.
func ParseLine(line string) ([][]string, error) {
	p := lineParser{rest: line}
	for p.rest != "" {
		if err := p.step(); err != nil {
			return nil, fmt.Errorf("cannot read the line %q: %w", line, err)
		}
	}
	p.endWord()
	if len(p.words) == 0 {
		if len(p.stages) == 0 {
			return nil, errors.New("cannot start an empty line")
		}
		return nil, fmt.Errorf("cannot read the line %q: nothing follows the last |", line)
	}
	return append(p.stages, p.words), nil
}

type lineParser struct {
	rest   string
	stages [][]string
	words  []string
	word   strings.Builder
	inWord bool
}

func (p *lineParser) step() error {
	c := p.rest[0]
	p.rest = p.rest[1:]
	switch {
	case c == ' ' || c == '\t':
		p.endWord()
	case c == '|':
		p.endWord()
		if strings.HasPrefix(p.rest, "|") || strings.HasPrefix(p.rest, "&") {
			return shellOnly("|" + p.rest[:1])
		}
		if len(p.words) == 0 {
			return errors.New("a stage before | is empty")
		}
		p.stages, p.words = append(p.stages, p.words), nil
	case c == '\'':
		text, rest, closed := strings.Cut(p.rest, "'")
		if !closed {
			return errors.New("a single quote is not closed")
		}
		p.take(text)
		p.rest = rest
	case c == '"':
		return p.doubleQuoted()
	case c == '\\':
		if p.rest == "" {
			return errors.New("nothing follows the last backslash")
		}
		p.take(p.rest[:1])
		p.rest = p.rest[1:]
	case strings.IndexByte("&;<>()$`*?[\n#~", c) >= 0 && (c != '#' && c != '~' || !p.inWord):
		return shellOnly(string(c))
	default:
		p.take(string(c))
	}
	return nil
}

func (p *lineParser) doubleQuoted() error {
	p.take("")
	for p.rest != "" {
		c := p.rest[0]
		p.rest = p.rest[1:]
		switch {
		case c == '"':
			return nil
		case c == '\\' && p.rest != "" && strings.IndexByte("\\\"$`", p.rest[0]) >= 0:
			p.take(p.rest[:1])
			p.rest = p.rest[1:]
		case c == '$' || c == '`':
			return shellOnly(string(c))
		default:
			p.take(string(c))
		}
	}
	return errors.New("a double quote is not closed")
}

func (p *lineParser) take(text string) {
	p.word.WriteString(text)
	p.inWord = true
}

func (p *lineParser) endWord() {
	if p.inWord {
		p.words = append(p.words, p.word.String())
		p.word.Reset()
		p.inWord = false
	}
}

func shellOnly(what string) error {
	return fmt.Errorf("only a shell knows what %q means: quote it, or give the line to a shell as a command", what)
}
