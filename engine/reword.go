package engine

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// reword turns the VM's own error texts into Lua's, which name the variable. It is called where the error is raised,
// while the stack is still there; errors that functions raise pass through.
func (t *thread) reword(value lua.LValue) lua.LValue {
	text, ok := value.(lua.LString)
	if !ok {
		return value
	}
	f, ok := frameAt(t.L, 0)
	if !ok || f.fn.IsG {
		return value
	}
	pc := f.pc()
	if pc < 0 || pc >= len(f.fn.Proto.Code) {
		return value
	}
	message, found := strings.CutPrefix(string(text), f.place()+":")
	if !found {
		return value
	}
	place := placeAt(t.L, 0)
	if better := f.better(pc, f.fn.Proto.Code[pc], strings.TrimSpace(message)); better != "" {
		return lua.LString(place + better)
	}
	return lua.LString(place + strings.TrimSpace(message))
}

// better words one message for the instruction that raised it; empty leaves it as it is.
func (f frame) better(pc int, inst uint32, message string) string {
	switch {
	case strings.HasPrefix(message, "attempt to index a non-table object("):
		register := argB(inst)
		switch opcode(inst) {
		case lua.OP_SETTABLE, lua.OP_SETTABLEKS:
			register = argA(inst)
		}
		kind, _, _ := strings.Cut(strings.TrimPrefix(message, "attempt to index a non-table object("), ")")
		if v := f.operand(register); v.Type().String() != kind {
			return "attempt to index a " + kind + " value" // an __index on the way, not the variable
		}
		return "attempt to index " + describe(f.fn, pc, register, f.operand(register))
	case message == "attempt to call a non-function object":
		if opcode(inst) == lua.OP_TFORLOOP {
			return "attempt to call a " + typeName(f.register(argA(inst))) + " value"
		}
		return "attempt to call " + describe(f.fn, pc, argA(inst), f.register(argA(inst)))
	case strings.HasPrefix(message, "cannot perform "), message == "__unm undefined":
		register := argB(inst)
		if opcode(inst) != lua.OP_UNM {
			if _, numeric := toNumber(f.operand(register)); numeric {
				register = argC(inst)
			}
		}
		return "attempt to perform arithmetic on " + describe(f.fn, pc, register, f.operand(register))
	case message == "__len undefined":
		return "attempt to get length of " + describe(f.fn, pc, argB(inst), f.operand(argB(inst)))
	case strings.HasPrefix(message, "attempt to compare "):
		if first, second, ok := strings.Cut(strings.TrimPrefix(message, "attempt to compare "), " with "); ok && first == second {
			return "attempt to compare two " + first + " values"
		}
	case strings.HasPrefix(message, "for statement "):
		what, _, _ := strings.Cut(strings.TrimPrefix(message, "for statement "), " ")
		if what == "init" {
			what = "initial value"
		}
		return "'for' " + what + " must be a number"
	case message == "registry overflow":
		return "stack overflow"
	case message == "too many recursions in gettable":
		return "loop in gettable"
	case message == "too many recursions in settable":
		return "loop in settable"
	}
	return ""
}

// operand returns the value of a register or constant.
func (f frame) operand(rk int) lua.LValue {
	if rk&constantBit != 0 {
		if i := rk &^ constantBit; i < len(f.fn.Proto.Constants) {
			return f.fn.Proto.Constants[i]
		}
		return lua.LNil
	}
	return f.register(rk)
}
