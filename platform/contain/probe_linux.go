package contain

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Probe finds out which classes can be had here by this user. It tries what it can try cheaply (it makes and
// removes a cgroup) and takes a quarter of a millisecond. A machine whose rules forbid something only at the
// moment of use (a security module) may still refuse a sealed start later, with the kernel's reason.
func Probe() Report {
	report, base := probe()
	if base != nil {
		_ = base.Remove() // its name says that it is nobody's when we have ended
	}
	return report
}

// Prepare is [Probe] for whoever starts commands next: it also returns the cgroup that it tried with, as [NewBase] would,
// nil where the class cannot be had.
func Prepare() (Report, *Base) {
	report, base := probe()
	if base != nil {
		endStale(filepath.Dir(base.dir))
	}
	return report, base
}

func probe() (Report, *Base) {
	cgroup, base := probeCgroup()
	return Report{{Class: Group, Available: true, Why: "process groups"}, probeTracked(), cgroup, probeSealed()}, base
}

func probeTracked() Finding {
	f := Finding{Class: Tracked}
	if _, err := readStat(os.Getpid()); err != nil {
		f.Why = "/proc is not readable: " + err.Error()
		return f
	}
	f.Available, f.Why = true, "a keeper as child subreaper"
	return f
}

// probeCgroup returns the cgroup that it made if the class can be had.
func probeCgroup() (Finding, *Base) {
	f := Finding{Class: Cgroup}
	own, err := ownCgroup()
	if err != nil {
		f.Why = err.Error()
		return f, nil
	}
	base, err := newBase(own)
	if err != nil {
		f.Why = err.Error()
		return f, nil
	}
	if f.Why = base.lacks(); f.Why != "" {
		_ = base.Remove()
		return f, nil
	}
	f.Available, f.Why = true, "cgroup2 at "+own
	return f, base
}

// lacks says why the base is of no use; empty when it is.
func (b *Base) lacks() string {
	if unix.Access(b.dir+"/cgroup.kill", unix.F_OK) != nil {
		return "the kernel has no cgroup.kill (it came with Linux 5.14)"
	}
	if kind, _ := os.ReadFile(b.dir + "/cgroup.type"); strings.TrimSpace(string(kind)) == "domain invalid" {
		return filepath.Dir(b.dir) + " is a threaded cgroup"
	}
	return ""
}

func probeSealed() Finding {
	f := Finding{Class: Sealed}
	if _, err := os.Stat("/proc/self/ns/pid"); err != nil {
		f.Why = "the kernel has no pid namespaces"
		return f
	}
	if os.Geteuid() == 0 {
		f.Available, f.Why = true, "pid namespaces as root"
		return f
	}
	for file, bad := range map[string]string{
		"/proc/sys/user/max_user_namespaces":                     "0",
		"/proc/sys/kernel/unprivileged_userns_clone":             "0",
		"/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1",
	} {
		if text, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(text)) == bad {
			f.Why = fmt.Sprintf("user namespaces are switched off for ordinary users (%s is %s)", file, bad)
			return f
		}
	}
	f.Available, f.Why = true, "pid namespaces through user namespaces"
	return f
}
