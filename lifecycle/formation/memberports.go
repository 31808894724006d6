package formation

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"

	"murlua/platform/listener"
)

// takenPort says which of the member's ports somebody has already, and who; "" when all are free. At the first start nothing
// of the member is left that could still let go of it. Started all the same, it would end because the address is in use, and
// until then a policy about the port would take the other process's answers for the member's.
func takenPort(m *Member) string {
	for _, port := range m.Ports {
		if portFree(port) {
			continue
		}
		var holders []string
		for _, p := range listener.Holders(port) {
			holders = append(holders, fmt.Sprintf("process %d (%s)", p.PID, p.Name))
		}
		if len(holders) == 0 {
			holders = []string{"another process"}
		}
		return fmt.Sprintf("port %d is taken by %s", port, strings.Join(holders, ", "))
	}
	return ""
}

// awaitPorts waits until the member's ports are free; false when the stop began first. Nobody tells when a port becomes
// free.
func (f *Formation) awaitPorts(m *Member) bool {
	for _, port := range m.Ports {
		if Until(f.life, func(context.Context) bool { return portFree(port) }) != nil {
			return false
		}
	}
	return true
}

func portFree(port int) bool {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return listener.Close() == nil
}
