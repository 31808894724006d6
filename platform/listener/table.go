package listener

import (
	"strconv"
	"strings"
)

// listening is the state of a listening socket in /proc/net/tcp (TCP_LISTEN of include/net/tcp_states.h).
const listening = "0A"

// inodes returns the inodes of the sockets that listen on the port, from the text of /proc/net/tcp or /proc/net/tcp6. Lines
// that are not of a socket are passed over.
func inodes(table string, port int) []string {
	var found []string
	for line := range strings.Lines(table) {
		fields := strings.Fields(line) // sl local_address rem_address st queues timer retransmits uid timeout inode …
		if len(fields) < 10 || fields[3] != listening {
			continue
		}
		_, hex, ok := strings.Cut(fields[1], ":")
		if number, err := strconv.ParseUint(hex, 16, 16); ok && err == nil && int(number) == port {
			found = append(found, fields[9])
		}
	}
	return found
}
