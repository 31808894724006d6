package engine

import (
	"math"
	"math/rand/v2"

	lua "github.com/yuin/gopher-lua"
)

func (h *Host) openMath(globals *lua.LTable) {
	table := h.base.NewTable()
	functions := map[string]Function{
		"atan2": func(c *Call) error { return c.Return(math.Atan2(c.Number(1), c.Number(2))) },
		"fmod":  func(c *Call) error { return c.Return(math.Mod(c.Number(1), c.Number(2))) },
		"pow":   func(c *Call) error { return c.Return(power(c.Number(1), c.Number(2))) },
		"ldexp": func(c *Call) error { return c.Return(math.Ldexp(c.Number(1), c.truncated(2))) },
		"frexp": func(c *Call) error {
			fraction, exponent := math.Frexp(c.Number(1))
			return c.Return(fraction, exponent)
		},
		"modf": func(c *Call) error {
			f := c.Number(1)
			if math.IsInf(f, 0) {
				return c.Return(f, 0)
			}
			whole, fraction := math.Modf(f)
			return c.Return(whole, fraction)
		},
		"log": func(c *Call) error {
			if c.Has(2) {
				return c.Return(math.Log(c.Number(1)) / math.Log(c.Number(2)))
			}
			return c.Return(math.Log(c.Number(1)))
		},
		"max": func(c *Call) error { return extreme(c, func(a, b float64) bool { return a > b }) },
		"min": func(c *Call) error { return extreme(c, func(a, b float64) bool { return a < b }) },
	}
	for name, fn := range map[string]func(float64) float64{
		"abs": math.Abs, "acos": math.Acos, "asin": math.Asin, "atan": math.Atan, "ceil": math.Ceil, "cos": math.Cos,
		"cosh": math.Cosh, "exp": math.Exp, "floor": math.Floor, "log10": math.Log10, "sin": math.Sin, "sinh": math.Sinh,
		"sqrt": math.Sqrt, "tan": math.Tan, "tanh": math.Tanh,
		"deg": func(f float64) float64 { return f / (math.Pi / 180) },
		"rad": func(f float64) float64 { return f * (math.Pi / 180) },
	} {
		functions[name] = func(c *Call) error { return c.Return(fn(c.Number(1))) }
	}
	random := rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	functions["random"] = func(c *Call) error { return randomNumber(c, random) }
	functions["randomseed"] = func(c *Call) error {
		*random = *rand.New(rand.NewPCG(math.Float64bits(c.Number(1)), 0))
		return nil
	}
	h.addLibrary(table, functions)
	table.RawSetString("mod", table.RawGetString("fmod"))
	table.RawSetString("pi", lua.LNumber(math.Pi))
	table.RawSetString("huge", lua.LNumber(math.Inf(1)))
	globals.RawSetString("math", table)
}

func extreme(c *Call, better func(a, b float64) bool) error {
	best := c.Number(1)
	for i := 2; i <= c.Len(); i++ {
		if f := c.Number(i); better(f, best) {
			best = f
		}
	}
	return c.Return(best)
}

func randomNumber(c *Call, random *rand.Rand) error {
	low, high := 1.0, 0.0
	switch c.Len() {
	case 0:
		return c.Return(random.Float64())
	case 1:
		high = math.Trunc(c.Number(1))
	case 2:
		low, high = math.Trunc(c.Number(1)), math.Trunc(c.Number(2))
	default:
		return c.fail("wrong number of arguments")
	}
	if low > high {
		c.BadArgument(c.Len(), "interval is empty")
	}
	return c.Return(math.Floor(random.Float64()*(high-low+1)) + low)
}

// modulo is Lua's %: the result has the sign of the divisor.
func modulo(a, b float64) float64 { return a - math.Floor(a/b)*b }

func power(a, b float64) float64 { return math.Pow(a, b) }
