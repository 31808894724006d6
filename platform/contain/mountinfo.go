package contain

import (
	"strconv"
	"strings"
)

// A mount is the part of a line of /proc/self/mountinfo that is needed to find a cgroup's directory.
type mount struct {
	root, point, kind string
}

// parseMountinfo reads /proc/self/mountinfo (proc_pid_mountinfo(5)). Lines it cannot read are left out.
func parseMountinfo(text string) []mount {
	var mounts []mount
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " - ")
		if !ok {
			continue
		}
		fields, kind := strings.Fields(before), strings.Fields(after)
		if len(fields) < 6 || len(kind) < 1 {
			continue
		}
		mounts = append(mounts, mount{root: unescape(fields[3]), point: unescape(fields[4]), kind: kind[0]})
	}
	return mounts
}

// unescape undoes the kernel's three-digit octal escapes for blanks and backslashes in mount paths.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+4 <= len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unifiedPath returns the cgroup2 path in the text of /proc/<pid>/cgroup: its line begins with "0::".
func unifiedPath(text string) (string, bool) {
	for line := range strings.Lines(text) {
		if path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::"); ok {
			return path, true
		}
	}
	return "", false
}

// unifiedDir joins a cgroup2 mount and a cgroup path to the directory of that cgroup. cgroup2 may be mounted
// anywhere, more than once, and a mount may show only part of the tree.
func unifiedDir(mounts []mount, path string) (string, bool) {
	for _, m := range mounts {
		if m.kind != "cgroup2" {
			continue
		}
		rest, ok := strings.CutPrefix(path, strings.TrimSuffix(m.root, "/"))
		if !ok || rest != "" && !strings.HasPrefix(rest, "/") {
			continue
		}
		return strings.TrimSuffix(m.point+strings.TrimSuffix(rest, "/"), "/"), true
	}
	return "", false
}
