package contain

// A Mark is a number that a command and everything it starts carries, whatever they do to their session, their
// environment or their parent. It is the soft limit RLIMIT_LOCKS: inherited by fork and exec, readable of any
// process in /proc/<pid>/limits, and without effect since Linux 2.4.25 (getrlimit(2)), so that giving it a
// value changes nothing for the command. A program that sets this limit itself loses the mark; programs that
// set up a login (su, sudo through pam_limits) do.
//
// The upper 40 bits are the random number of one keeper, the lower 24 number its commands from 1.
type Mark uint64

const (
	markBits = 24
	// MaxMarks is how many commands one [Mark] base can tell apart.
	MaxMarks = 1<<markBits - 1
	// GroupOnly numbers the mark of every command whose class promises nothing about what leaves its process group:
	// that is nobody's to end.
	GroupOnly = MaxMarks
)

// Of returns the mark of the keeper's n-th command.
func (m Mark) Of(n uint32) Mark { return m&^MaxMarks | Mark(n&MaxMarks) }

// Base returns the mark's keeper.
func (m Mark) Base() Mark { return m &^ MaxMarks }
