package bindings

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"murlua/engine/scenario"
	"murlua/platform/process"
)

// markedProcesses finds the processes in whose first environment the setting stands, and the ports they listen on.
// A process that has exited and was not reaped yet has no environment, and is not found.
func markedProcesses(setting string) ([]scenario.Left, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("cannot look for processes: %w", err)
	}
	var left []scenario.Left
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() || !isMarked(pid, setting) {
			continue
		}
		name := processName(pid)
		left = append(left, scenario.Left{Kind: "process", Name: name})
		for _, port := range listening(pid) {
			left = append(left, scenario.Left{Kind: "port", Name: fmt.Sprintf("%s of %s", port, name)})
		}
	}
	return left, nil
}

func isMarked(pid int, setting string) bool {
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+setting+"\x00"))
}

// processName is what a person finds a process by.
func processName(pid int) string {
	cmdline, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	words := strings.Split(strings.TrimRight(string(cmdline), "\x00"), "\x00")
	words[0] = filepath.Base(words[0])
	text := strings.Join(words, " ")
	if len(text) > 80 {
		text = text[:80] + "…"
	}
	return fmt.Sprintf("pid %d (%s)", pid, text)
}

// killMarked kills the process with such a name, if it is still the one that was found, and waits until it is gone.
func killMarked(ctx context.Context, name, setting string) string {
	pid, err := strconv.Atoi(strings.Fields(strings.TrimPrefix(name, "pid "))[0])
	if err != nil {
		return err.Error()
	}
	ref, err := process.Open(pid)
	if err != nil {
		return "gone by now"
	}
	defer ref.Close()
	if !isMarked(pid, setting) { // read after the process is held: this is about that one
		return "gone by now"
	}
	if err := ref.Signal(syscall.SIGKILL); err != nil {
		return fmt.Sprintf("cannot be killed: %v", err)
	}
	select {
	case <-ref.Exited():
		return "killed"
	case <-ctx.Done():
		return "killed, and does not go"
	}
}

// listening returns the TCP addresses that a process listens on.
func listening(pid int) []string {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	sockets := map[string]bool{}
	descriptors, _ := os.ReadDir(filepath.Join(dir, "fd"))
	for _, fd := range descriptors {
		target, _ := os.Readlink(filepath.Join(dir, "fd", fd.Name()))
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			sockets[strings.TrimSuffix(inode, "]")] = true
		}
	}
	if len(sockets) == 0 {
		return nil
	}
	var found []string
	for _, table := range []string{"tcp", "tcp6"} {
		text, _ := os.ReadFile(filepath.Join(dir, "net", table))
		for _, line := range strings.Split(string(text), "\n") {
			// proc(5): local address, remote address, state (0A is LISTEN), …, inode.
			fields := strings.Fields(line)
			if len(fields) > 9 && fields[3] == "0A" && sockets[fields[9]] {
				found = append(found, procAddress(fields[1]))
			}
		}
	}
	return found
}

// procAddress reads an address as /proc/net/tcp writes it: words of four bytes in the machine's order, and the port.
func procAddress(text string) string {
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	number, portErr := strconv.ParseUint(port, 16, 16)
	if err != nil || portErr != nil || len(raw)%4 != 0 {
		return text
	}
	for i := 0; i < len(raw); i += 4 {
		raw[i], raw[i+1], raw[i+2], raw[i+3] = raw[i+3], raw[i+2], raw[i+1], raw[i]
	}
	addr, ok := netip.AddrFromSlice(raw)
	if !ok {
		return text
	}
	return netip.AddrPortFrom(addr, uint16(number)).String()
}
