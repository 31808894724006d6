package engine

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// The VM's instructions, as the library encodes them.
const (
	constantBit = 256
	maxJump     = 131071
)

func opcode(inst uint32) int { return int(inst >> 26) }
func argA(inst uint32) int   { return int(inst>>18) & 0xff }
func argB(inst uint32) int   { return int(inst & 0x1ff) }
func argC(inst uint32) int   { return int(inst>>9) & 0x1ff }
func argBx(inst uint32) int  { return int(inst & 0x3ffff) }
func jump(inst uint32) int   { return argBx(inst) - maxJump }

// nameOf says what a register of a Lua function holds, in the words of Lua: "local 'x'", "field 'y'"; empty when it
// has no name. pc is the instruction that uses it.
func nameOf(fn *lua.LFunction, pc, register int) string {
	if name, ok := localName(fn.Proto, register, pc); ok {
		return fmt.Sprintf("local '%s'", name)
	}
	at := setter(fn.Proto, pc, register)
	if at < 0 {
		return ""
	}
	inst := fn.Proto.Code[at]
	switch opcode(inst) {
	case lua.OP_GETGLOBAL:
		return fmt.Sprintf("global '%s'", constant(fn.Proto, argBx(inst)|constantBit<<12))
	case lua.OP_MOVE, lua.OP_MOVEN:
		if argB(inst) < argA(inst) {
			return nameOf(fn, at, argB(inst))
		}
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS:
		if key, ok := keyName(fn, at, argC(inst)); ok {
			return fmt.Sprintf("field '%s'", key)
		}
		return "field '?'"
	case lua.OP_GETUPVAL:
		if i := argB(inst); i < len(fn.Proto.DbgUpvalues) {
			return fmt.Sprintf("upvalue '%s'", fn.Proto.DbgUpvalues[i])
		}
	case lua.OP_SELF:
		if key, ok := keyName(fn, at, argC(inst)); ok && argA(inst) == register {
			return fmt.Sprintf("method '%s'", key)
		}
	}
	return ""
}

// localName returns the name of the local variable in a register.
func localName(proto *lua.FunctionProto, register, pc int) (string, bool) {
	for _, local := range proto.DbgLocals {
		if local.StartPc > pc {
			break
		}
		if pc <= local.EndPc {
			if register == 0 {
				return local.Name, !strings.HasPrefix(local.Name, "(")
			}
			register--
		}
	}
	return "", false
}

// keyName returns a key that is a constant string, whether the instruction has it itself or in a register.
func keyName(fn *lua.LFunction, pc, rk int) (string, bool) {
	index := -1
	if rk&constantBit != 0 {
		index = rk &^ constantBit
	} else if at := setter(fn.Proto, pc, rk); at >= 0 && opcode(fn.Proto.Code[at]) == lua.OP_LOADK {
		if _, local := localName(fn.Proto, rk, pc); !local {
			index = argBx(fn.Proto.Code[at])
		}
	}
	if index < 0 || index >= len(fn.Proto.Constants) {
		return "", false
	}
	key, ok := fn.Proto.Constants[index].(lua.LString)
	return string(key), ok
}

func constant(proto *lua.FunctionProto, index int) string {
	index &^= constantBit << 12
	if index < len(proto.Constants) {
		return lua.LVAsString(proto.Constants[index])
	}
	return "?"
}

// setter finds the instruction that gave a register the value it has at pc: the last one before it that sets it,
// with forward jumps taken.
func setter(proto *lua.FunctionProto, pc, register int) int {
	last := -1
	for i := 0; i < pc && i < len(proto.Code); i++ {
		inst := proto.Code[i]
		a := argA(inst)
		sets := a == register
		switch opcode(inst) {
		case lua.OP_LOADNIL:
			sets = a <= register && register <= argB(inst)
		case lua.OP_SELF:
			sets = register == a || register == a+1
		case lua.OP_CALL, lua.OP_TAILCALL, lua.OP_VARARG:
			sets = register >= a
		case lua.OP_TFORLOOP:
			sets = register >= a+2
		case lua.OP_FORLOOP, lua.OP_FORPREP:
			sets = a <= register && register <= a+3
		case lua.OP_JMP:
			sets = false
			if target := i + 1 + jump(inst); target > i && target <= pc {
				i = target - 1
			}
		case lua.OP_CLOSURE:
			if n := argBx(inst); n < len(proto.FunctionPrototypes) {
				if sets {
					last = i
				}
				i += int(proto.FunctionPrototypes[n].NumUpvalues)
				continue
			}
		case lua.OP_SETGLOBAL, lua.OP_SETUPVAL, lua.OP_SETTABLE, lua.OP_SETTABLEKS, lua.OP_EQ, lua.OP_LT, lua.OP_LE,
			lua.OP_TEST, lua.OP_RETURN, lua.OP_CLOSE, lua.OP_NOP:
			sets = false
		case lua.OP_SETLIST:
			sets = false
			if argC(inst) == 0 {
				i++
			}
		}
		if sets {
			last = i
		}
	}
	return last
}

// operandText says what operand n of the operation in the calling Lua function is: "local 'x' (a nil value)".
func operandText(L *lua.LState, n int, value lua.LValue) string {
	f, ok := frameAt(L, 1)
	if !ok || f.fn.IsG {
		return "a " + typeName(value) + " value"
	}
	pc := f.pc()
	if pc < 0 || pc >= len(f.fn.Proto.Code) {
		return "a " + typeName(value) + " value"
	}
	inst := f.fn.Proto.Code[pc]
	register := argB(inst)
	switch {
	case opcode(inst) == lua.OP_CALL || opcode(inst) == lua.OP_TAILCALL:
		register = argA(inst) + n
	case n == 2:
		register = argC(inst)
	}
	return describe(f.fn, pc, register, value)
}

// describe is "name (a type value)", or only "a type value" for what has no name.
func describe(fn *lua.LFunction, pc, register int, value lua.LValue) string {
	if register&constantBit == 0 {
		if name := nameOf(fn, pc, register); name != "" {
			return fmt.Sprintf("%s (a %s value)", name, typeName(value))
		}
	}
	return "a " + typeName(value) + " value"
}
