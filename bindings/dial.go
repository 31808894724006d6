package bindings

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"murlua/engine"
	"murlua/platform/fsx"
)

// attempt is one address that was tried, and why it did not answer.
type attempt struct {
	Address string
	Err     error
}

// unreachableError says that no address of a host accepted a connection.
type unreachableError struct {
	Target   string // "localhost:6390", or the path of a socket
	Attempts []attempt
	Cause    error // the name could not be resolved
}

func (e *unreachableError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("cannot find %s: %v", e.Target, e.Cause)
	}
	var tried []string
	for _, a := range e.Attempts {
		tried = append(tried, a.Address+": "+dialReason(a.Err))
	}
	return fmt.Sprintf("cannot reach %s (%s)", e.Target, strings.Join(tried, "; "))
}

func (e *unreachableError) Unwrap() []error {
	errs := []error{e.Cause}
	for _, a := range e.Attempts {
		errs = append(errs, a.Err)
	}
	return errs
}

// dialReason is the last word of a failed connection, such as "connection refused".
func dialReason(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return "no answer in time"
	}
	if errors.As(err, &op) {
		err = op.Err
	}
	return fsx.Reason(err).Error()
}

// object makes the error that scripts see.
func (e *unreachableError) object() error {
	tried := []map[string]any{}
	for _, a := range e.Attempts {
		tried = append(tried, map[string]any{"address": a.Address, "error": dialReason(a.Err)})
	}
	return &engine.Error{Kind: "unreachable", Message: e.Error(), Cause: e, Fields: map[string]any{"addresses": tried}}
}

// dialer connects to a host at whichever of its addresses answers first. The next address is tried when one
// fails, or when it has not answered for a moment, while that one is still waited for.
type dialer struct {
	perAddress time.Duration // 0 means defaultConnect
}

const (
	defaultConnect = 5 * time.Second
	stagger        = 250 * time.Millisecond
)

// dial connects to "host:port". What does not answer is an [*unreachableError].
func (d dialer) dial(ctx context.Context, target string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(target)
	if err != nil {
		return nil, err
	}
	addresses, err := resolve(ctx, host, port)
	if err != nil {
		return nil, &unreachableError{Target: target, Cause: err}
	}
	return d.race(ctx, target, addresses)
}

// resolve returns the addresses of a host. "localhost" has two, whatever the system's files say: servers listen
// on either.
func resolve(ctx context.Context, host, port string) ([]netip.AddrPort, error) {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil || number == 0 {
		return nil, fmt.Errorf("%q is not a port from 1 to 65535", port)
	}
	if _, virtual := virtualMember(host); virtual {
		return nil, errors.New("the names of a formation's members are not looked up")
	}
	var found []netip.Addr
	if ip, err := netip.ParseAddr(host); err == nil {
		found = []netip.Addr{ip}
	} else if name := strings.ToLower(strings.TrimSuffix(host, ".")); name == "localhost" || strings.HasSuffix(name, ".localhost") {
		found = []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	} else if found, err = net.DefaultResolver.LookupNetIP(ctx, "ip", host); err != nil {
		return nil, err
	}
	addresses := make([]netip.AddrPort, len(found))
	for i, ip := range found {
		addresses[i] = netip.AddrPortFrom(ip.Unmap(), uint16(number))
	}
	return addresses, nil
}

type dialed struct {
	index int
	conn  net.Conn
	err   error
}

// race tries the addresses in order. Connections that come after the first are closed.
func (d dialer) race(ctx context.Context, target string, addresses []netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := make(chan dialed, len(addresses))
	next, waiting := 0, 0
	start := func() {
		index, address := next, addresses[next]
		next, waiting = next+1, waiting+1
		go func() { // answers once, into a channel that has room
			conn, err := d.one(ctx, "tcp", address.String())
			results <- dialed{index, conn, err}
		}()
	}
	start()
	failures := make([]error, len(addresses))
	timer := time.NewTimer(stagger)
	defer timer.Stop()
	for waiting > 0 {
		select {
		case <-timer.C:
			if next < len(addresses) {
				start()
				timer.Reset(stagger)
			}
		case result := <-results:
			waiting--
			if result.err == nil {
				cancel()
				for range waiting {
					if late := <-results; late.conn != nil {
						late.conn.Close()
					}
				}
				return result.conn, nil
			}
			failures[result.index] = result.err
			if next < len(addresses) {
				start()
				timer.Reset(stagger)
			}
		}
	}
	failure := &unreachableError{Target: target}
	for i, address := range addresses {
		failure.Attempts = append(failure.Attempts, attempt{address.String(), failures[i]})
	}
	return nil, failure
}

func (d dialer) one(ctx context.Context, network, address string) (net.Conn, error) {
	limit := d.perAddress
	if limit <= 0 {
		limit = defaultConnect
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// unix connects to a socket by its path.
func (d dialer) unix(ctx context.Context, path string) (net.Conn, error) {
	conn, err := d.one(ctx, "unix", path)
	if err != nil {
		return nil, &unreachableError{Target: path, Attempts: []attempt{{path, err}}}
	}
	return conn, nil
}
