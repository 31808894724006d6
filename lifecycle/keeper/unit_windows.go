package keeper

import (
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A unit is a job object whose processes end with its last handle, which is ours: also when this process is killed.
type unit struct {
	attr *syscall.SysProcAttr
	job  windows.Handle
	pid  int
}

// newUnit makes the job before the process: a process that ran before it was in the job could have started one that
// never is.
func newUnit(*Command) (*unit, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	return &unit{job: job, attr: &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}}, nil
}

func (u *unit) attributes() *syscall.SysProcAttr { return u.attr }

// adopt puts the suspended process into the job and lets it run.
func (u *unit) adopt(p *os.Process) error {
	u.pid = p.Pid
	handle, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE|windows.PROCESS_SUSPEND_RESUME, false, uint32(p.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(handle)
	if err := windows.AssignProcessToJobObject(u.job, handle); err != nil {
		return err
	}
	// os/exec closes the handle of the first thread, so the process is resumed as a whole.
	resume := windows.NewLazySystemDLL("ntdll.dll").NewProc("NtResumeProcess")
	if err := resume.Find(); err != nil {
		return err
	}
	if status, _, _ := resume.Call(uintptr(handle)); status != 0 {
		return windows.NTStatus(status)
	}
	return nil
}

// signal asks as far as Windows can: a console program gets CTRL_BREAK.
func (u *unit) signal(syscall.Signal) error {
	return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(u.pid))
}

func (u *unit) kill() {
	if u.job != 0 {
		_ = windows.TerminateJobObject(u.job, 1) // what has gone already is what was wanted
	}
}

// awaitExit need not wait: an ended process keeps its number while a handle is open.
func (u *unit) awaitExit(p *os.Process) {
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(p.Pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(handle)
	_, _ = windows.WaitForSingleObject(handle, windows.INFINITE)
}

func (u *unit) close() {
	if u.job != 0 {
		windows.CloseHandle(u.job)
		u.job = 0
	}
}

func statusOfState(state *os.ProcessState) Status { return Status{Code: state.ExitCode()} }

// Main runs the keeper if that is what this process was started as. On Windows the system does its work.
func Main([]string) (code int, handled bool) { return 0, false }

// A guard is not needed: a job ends with the process that holds it.
type guard struct{}

func startGuard(*Options) (*guard, error) { return &guard{}, nil }

func (g *guard) add(int, time.Duration) {}
func (g *guard) remove(int)             {}
func (g *guard) close() error           { return nil }
