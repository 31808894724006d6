package engine

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine/format"
	"murlua/engine/numeral"
	"murlua/engine/pattern"
)

// matcher makes a matcher that ends when the task is stopped hard.
func (c *Call) matcher(subject, expression string) *pattern.Matcher {
	return &pattern.Matcher{Subject: subject, Pattern: expression, Tick: c.tick}
}

// tick is called now and then by long loops in Go: it ends them when the task is stopped hard.
func (c *Call) tick() error {
	if c.t.host.spent(quantum, c.t) || c.t.task.unwinding() {
		return errStopped
	}
	return nil
}

// patternError raises what is wrong with a pattern; a stop goes its own way.
func (c *Call) patternError(err error) error {
	if err == errStopped {
		unwind(c.l)
	}
	return c.fail("%v", err)
}

func findString(c *Call, find bool) error {
	s, p := c.String(1), c.String(2)
	start := min(max(position(c.optTruncated(3, 1), len(s))-1, 0), len(s))
	if find && (lua.LVAsBool(c.Get(4)) || !pattern.Special(p)) {
		i := strings.Index(s[start:], p)
		if i < 0 {
			return c.Return(nil)
		}
		return c.Return(start+i+1, start+i+len(p))
	}
	m := c.matcher(s, p)
	begin, end, err := m.Find(start)
	if err != nil {
		return c.patternError(err)
	}
	if begin < 0 {
		return c.Return(nil)
	}
	if find {
		c.push(lua.LNumber(begin+1), lua.LNumber(end))
		return c.pushCaptures(m, begin, end, false)
	}
	return c.pushCaptures(m, begin, end, true)
}

// pushCaptures returns the captures of the last match; the whole match when there is none and whole is set.
func (c *Call) pushCaptures(m *pattern.Matcher, begin, end int, whole bool) error {
	captures, err := m.Captures()
	if err != nil {
		return c.patternError(err)
	}
	if len(captures) == 0 && whole {
		c.push(lua.LString(m.Subject[begin:end]))
	}
	for _, capture := range captures {
		c.push(captureValue(m, capture))
	}
	return nil
}

func captureValue(m *pattern.Matcher, capture pattern.Capture) lua.LValue {
	if capture.Position {
		return lua.LNumber(capture.Start + 1)
	}
	return lua.LString(m.Subject[capture.Start:capture.End])
}

func stringGmatch(c *Call) error {
	s, p := c.String(1), c.String(2)
	at := 0
	return c.Return(lua.LGFunction(func(L *lua.LState) int {
		inner := Call{l: L, t: threadOf(L), name: "for iterator", plain: true}
		m := inner.matcher(s, p)
		for ; at <= len(s); at++ {
			end, err := m.Match(at, 0)
			if err != nil {
				inner.Raise(inner.patternError(err))
			}
			if end < 0 {
				continue
			}
			begin := at
			at = end
			if end == begin {
				at++
			}
			if err := inner.pushCaptures(m, begin, end, true); err != nil {
				inner.Raise(err)
			}
			return inner.returned
		}
		return 0
	}))
}

func stringGsub(c *Call) error {
	s, p, replacement := c.String(1), c.String(2), c.Get(3)
	switch r := replacement.(type) {
	case lua.LString, *lua.LTable, *lua.LFunction:
	case lua.LNumber:
		replacement = lua.LString(numeral.Text(float64(r)))
	default:
		c.BadArgument(3, "string/function/table expected")
	}
	limit := c.optTruncated(4, len(s)+1)
	from, anchored := 0, strings.HasPrefix(p, "^")
	if anchored {
		from = 1
	}
	m := c.matcher(s, p)
	var b strings.Builder
	at, count := 0, 0
	for count < limit {
		end, err := m.Match(at, from)
		if err != nil {
			return c.patternError(err)
		}
		if end >= 0 {
			count++
			if err := c.replace(&b, m, at, end, replacement); err != nil {
				return err
			}
			if err := c.room(b.Len()); err != nil {
				return err
			}
		}
		if end > at {
			at = end
		} else if at < len(s) {
			b.WriteByte(s[at])
			at++
		} else {
			break
		}
		if anchored {
			break
		}
	}
	if at < len(s) {
		b.WriteString(s[at:])
	}
	return c.Return(b.String(), count)
}

// replace writes what takes the place of one match.
func (c *Call) replace(b *strings.Builder, m *pattern.Matcher, begin, end int, replacement lua.LValue) error {
	whole := m.Subject[begin:end]
	if text, ok := replacement.(lua.LString); ok {
		return c.expand(b, m, whole, string(text))
	}
	captures, err := m.Captures()
	if err != nil {
		return c.patternError(err)
	}
	values := make([]lua.LValue, 0, len(captures)+1)
	for _, capture := range captures {
		values = append(values, captureValue(m, capture))
	}
	if len(values) == 0 {
		values = append(values, lua.LString(whole))
	}
	var result lua.LValue
	if table, ok := replacement.(*lua.LTable); ok {
		result = c.l.GetTable(table, values[0])
	} else {
		c.l.Push(replacement)
		for _, v := range values {
			c.l.Push(v)
		}
		c.l.Call(len(values), 1)
		result = c.l.Get(-1)
		c.l.Pop(1)
	}
	switch r := result.(type) {
	case lua.LString:
		b.WriteString(string(r))
	case lua.LNumber:
		b.WriteString(numeral.Text(float64(r)))
	default:
		if lua.LVAsBool(result) {
			return c.fail("invalid replacement value (a %s)", typeName(result))
		}
		b.WriteString(whole)
	}
	return nil
}

// expand writes a replacement string with its %0 to %9.
func (c *Call) expand(b *strings.Builder, m *pattern.Matcher, whole, text string) error {
	if !strings.Contains(text, "%") {
		b.WriteString(text)
		return nil
	}
	captures, err := m.Captures()
	if err != nil {
		return c.patternError(err)
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			b.WriteByte(text[i])
			continue
		}
		i++
		if i == len(text) {
			b.WriteByte(0) // as C does: the end of the string is its zero byte
			break
		}
		n := int(text[i]) - '0'
		switch {
		case n < 0 || n > 9:
			b.WriteByte(text[i])
		case n == 0 || n == 1 && len(captures) == 0:
			b.WriteString(whole)
		case n > len(captures):
			return c.fail("invalid capture index")
		default:
			b.WriteString(lua.LVAsString(captureValue(m, captures[n-1])))
		}
	}
	return nil
}

func stringFormat(c *Call) error {
	text := c.String(1)
	var b strings.Builder
	arg := 1
	for {
		before, after, found := strings.Cut(text, "%")
		b.WriteString(before)
		if !found {
			return c.Return(b.String())
		}
		if strings.HasPrefix(after, "%") {
			b.WriteByte('%')
			text = after[1:]
			continue
		}
		arg++
		if arg > c.Len() {
			c.BadArgument(arg, "no value")
		}
		spec, n, err := format.Parse(after)
		if err != nil {
			return c.fail("%v", err)
		}
		text = after[n:]
		b.WriteString(c.formatOne(spec, arg))
		if err := c.room(b.Len()); err != nil {
			return err
		}
	}
}

func (c *Call) formatOne(spec format.Spec, arg int) string {
	switch spec.Verb {
	case 'q':
		return format.Quote(c.String(arg))
	case 's':
		s := c.Text(c.Get(arg))
		if spec.Precision < 0 && len(s) >= 100 {
			return s
		}
		return spec.Text(s)
	}
	return spec.Number(c.Number(arg))
}
