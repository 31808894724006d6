package door

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// connectTimeout is how long one address may take to accept a connection (murmur's value): a loopback address
// accepts at once, and one that nobody holds must not be waited for.
const connectTimeout = 2 * time.Second

// maxAddresses bounds how many addresses of one name are tried.
const maxAddresses = 16

// address is where a door is: what a record's url, a readiness line or an address line says.
type address struct {
	text string // host:port as given, without a scheme
	host string // with brackets if it is an IPv6 address
	name string // host without brackets
	port uint16
	path string // "" or a path that requests go below
}

// parseAddress reads "host:port", with or without a scheme; the scheme is dropped, since a door always speaks plain HTTP.
func parseAddress(text string) (address, error) {
	trimmed := text
	for _, scheme := range []string{"http://", "https://"} {
		for strings.HasPrefix(trimmed, scheme) {
			trimmed = strings.TrimPrefix(trimmed, scheme)
		}
	}
	u, err := url.Parse("http://" + trimmed)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsFunc(u.Host, unprintable) {
		return address{}, fmt.Errorf("cannot read door address %s: it is not host:port", quoted(text))
	}
	a := address{text: u.Host, name: u.Hostname(), host: u.Hostname(), port: 80, path: strings.TrimSuffix(u.EscapedPath(), "/")}
	if strings.Contains(a.name, ":") {
		a.host = "[" + a.name + "]"
	}
	if p := u.Port(); p != "" {
		port, err := strconv.ParseUint(p, 10, 16)
		if err != nil || port == 0 {
			return address{}, fmt.Errorf("cannot read door address %s: its port is not in 1..65535", quoted(text))
		}
		a.port = uint16(port)
	}
	return a, nil
}

// resolve returns the IP addresses of the host in the order in which they are tried. "localhost" always means both
// loopback addresses, whatever /etc/hosts says: a door may listen on either, and which one a name service
// puts first must not decide whether a capsule is alive.
func (a address) resolve(ctx context.Context) ([]netip.Addr, error) {
	if strings.EqualFold(a.name, "localhost") {
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if ip, err := netip.ParseAddr(a.name); err == nil {
		return []netip.Addr{ip}, nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", a.name)
	if err != nil {
		return nil, err
	}
	return ips[:min(len(ips), maxAddresses)], nil
}

// dial connects to the first address of a that accepts. When none does, the error lists every address tried
// with its own reason.
func (a address) dial(ctx context.Context) (net.Conn, error) {
	ips, err := a.resolve(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot resolve door address %q: %w", a.text, err)
	}
	unreachable := &UnreachableError{Door: a.text}
	for _, ip := range ips {
		dialer := net.Dialer{Timeout: connectTimeout, KeepAlive: -1}
		conn, err := dialer.DialContext(ctx, "tcp", netip.AddrPortFrom(ip, a.port).String())
		if err == nil {
			return conn, nil
		}
		unreachable.Tried = append(unreachable.Tried, Attempt{Address: ip.String(), Err: reason(err)})
		if ctx.Err() != nil {
			break
		}
	}
	return nil, unreachable
}

// UnreachableError says that no address of a door accepted a connection.
type UnreachableError struct {
	Door  string // host:port as it was given
	Tried []Attempt
}

// Attempt is an address that was tried, and why it did not accept.
type Attempt struct {
	Address string
	Err     error
}

func (e *UnreachableError) Error() string {
	reasons := make([]string, len(e.Tried))
	for i, attempt := range e.Tried {
		reasons[i] = attempt.Address + ": " + attempt.Err.Error()
	}
	return fmt.Sprintf("cannot connect to door %q: %s", e.Door, strings.Join(reasons, "; "))
}

// Unwrap returns the reasons.
func (e *UnreachableError) Unwrap() []error {
	errs := make([]error, len(e.Tried))
	for i, attempt := range e.Tried {
		errs[i] = attempt.Err
	}
	return errs
}

// reason takes the wrapping off a network error, whose text repeats the address and the operation.
func reason(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		var timeout net.Error
		if errors.As(op.Err, &timeout) && timeout.Timeout() {
			return errors.New("timed out")
		}
		var call interface {
			error
			Unwrap() error
		}
		if errors.As(op.Err, &call) && call.Unwrap() != nil {
			return call.Unwrap()
		}
		return op.Err
	}
	return err
}

func unprintable(r rune) bool { return r <= ' ' || r == 0x7f }

// quoted shows a foreign text in an error: quoted, so that it cannot act on a terminal, and cut.
func quoted(text string) string {
	const limit = 120
	if len(text) > limit {
		return strconv.QuoteToASCII(text[:limit]) + "…"
	}
	return strconv.QuoteToASCII(text)
}
