package contain

import (
	"fmt"
	"os"
	"strings"
)

// Probe finds out which classes can be had here by this user. It tries what it can try cheaply (it makes and
// removes a cgroup) and takes a quarter of a millisecond. A machine whose rules forbid something only at the
// moment of use (a security module) may still refuse a sealed start later, with the kernel's reason.
func Probe() Report {
	return Report{
		{Class: Group, Available: true, Why: "process groups"},
		probeTracked(),
		probeCgroup(),
		probeSealed(),
	}
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

func probeCgroup() Finding {
	f := Finding{Class: Cgroup}
	own, err := ownCgroup()
	if err != nil {
		f.Why = err.Error()
		return f
	}
	dir := fmt.Sprintf("%s/%sprobe-%d-%d", own, basePrefix, os.Getpid(), bases.Add(1))
	if err := os.Mkdir(dir, 0o755); err != nil {
		f.Why = fmt.Sprintf("cannot create a directory in %s: %v", own, unwrapPath(err))
		return f
	}
	defer os.Remove(dir)
	if _, err := os.Stat(dir + "/cgroup.kill"); err != nil {
		f.Why = "the kernel has no cgroup.kill (it came with Linux 5.14)"
		return f
	}
	if kind, _ := os.ReadFile(dir + "/cgroup.type"); strings.TrimSpace(string(kind)) == "domain invalid" {
		f.Why = own + " is a threaded cgroup"
		return f
	}
	f.Available, f.Why = true, "cgroup2 at "+own
	return f
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
