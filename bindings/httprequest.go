package bindings

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"murlua/engine"
)

// request is what a script asks for, read and checked.
type request struct {
	method    string
	url       *url.URL
	header    http.Header
	body      string
	hasBody   bool
	timeout   time.Duration // 0 is none
	redirects int
	maxBody   int
	transport transportKey
}

// transportKey is what connections must have in common to be used again.
type transportKey struct {
	unix    string
	connect time.Duration
	tls     tlsOptions
}

type tlsOptions struct {
	CA         string
	Cert       string
	Key        string
	ServerName string
	Insecure   bool
}

// target is how messages name what is asked. A password in the URL is not shown.
func (r *request) target() string { return r.url.Redacted() }

func (r *request) fail(err error) error { return httpError(r.target(), err, r.timeout) }

// readRequest reads the options in argument n. address is the URL when it is an argument of its own, body what the
// call posts.
func readRequest(c *engine.Call, n int, address string, body lua.LValue) *request {
	o := c.Options(n)
	if address == "" {
		o.Required("url")
		address = o.String("url", "")
	}
	r := &request{
		header: http.Header{}, timeout: o.Duration("timeout", defaultHTTPTimeout),
		redirects: o.Int("redirects", 10), maxBody: o.Int("max_body", defaultMaxBody),
		transport: transportKey{unix: o.String("unix", ""), connect: o.Duration("connect_timeout", defaultConnect)},
	}
	if options := o.Table("tls"); options != nil {
		r.transport.tls = readTLS(o.Nested("tls", options))
	}
	r.readBody(c, o, body)
	r.method = strings.ToUpper(o.String("method", map[bool]string{false: http.MethodGet, true: http.MethodPost}[r.hasBody]))
	readHeaders(o, r.header)
	query := readQuery(o)
	o.Done(false)
	parsed, err := url.Parse(address)
	if err == nil && (parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "") {
		err = errors.New("an http or https URL with a host is needed")
	}
	if err != nil {
		c.Raise(&engine.Error{Kind: "bad_url", Message: fmt.Sprintf("cannot ask %q: %v", address, rootOf(err)), Cause: err})
	}
	if query != "" {
		parsed.RawQuery = strings.TrimPrefix(parsed.RawQuery+"&"+query, "&")
	}
	r.url = parsed
	return r
}

func readTLS(o *engine.OptionTable) tlsOptions {
	options := tlsOptions{
		CA: o.String("ca", ""), Cert: o.String("cert", ""), Key: o.String("key", ""),
		ServerName: o.String("server_name", ""), Insecure: o.Bool("insecure", false),
	}
	o.Done(false)
	return options
}

func (r *request) readBody(c *engine.Call, o *engine.OptionTable, body lua.LValue) {
	text, document := o.Get("body"), o.Get("json")
	if text != lua.LNil && document != lua.LNil {
		o.Bad("json", "it does not go together with 'body'")
	}
	if s, ok := body.(lua.LString); ok {
		text = s
	} else if body != lua.LNil {
		document = body
	}
	if text != lua.LNil {
		s, ok := text.(lua.LString)
		if !ok {
			o.Bad("body", "string expected, got %s", text.Type())
		}
		r.body, r.hasBody = string(s), true
	}
	if document != lua.LNil {
		encoded, err := encodeJSON(document, "")
		if err != nil {
			c.Raise(err)
		}
		r.body, r.hasBody = encoded, true
		r.header.Set("Content-Type", "application/json")
	}
}

func readHeaders(o *engine.OptionTable, header http.Header) {
	table := o.Table("headers")
	if table == nil {
		return
	}
	table.ForEach(func(key, value lua.LValue) {
		name := lua.LVAsString(key)
		switch v := value.(type) {
		case lua.LString, lua.LNumber:
			header.Set(name, lua.LVAsString(v))
		case *lua.LTable:
			header.Del(name)
			for i := range v.Len() {
				header.Add(name, lua.LVAsString(v.RawGetInt(i+1)))
			}
		default:
			o.Bad("headers", "the value of %q is a %s", name, value.Type())
		}
	})
}

// readQuery returns the option "query", escaped, in the order of the names.
func readQuery(o *engine.OptionTable) string {
	table := o.Table("query")
	if table == nil {
		return ""
	}
	var parts []string
	table.ForEach(func(key, value lua.LValue) {
		text := lua.LVAsString(value)
		switch v := value.(type) {
		case lua.LString, lua.LNumber:
		case lua.LBool:
			text = v.String()
		default:
			o.Bad("query", "the value of %q is a %s", lua.LVAsString(key), value.Type())
		}
		parts = append(parts, url.QueryEscape(lua.LVAsString(key))+"="+url.QueryEscape(text))
	})
	slices.Sort(parts)
	return strings.Join(parts, "&")
}

// httpClient holds the connections of one script. It is safe for concurrent use.
type httpClient struct {
	path       func(string) string
	route      func(context.Context, *http.Request) error // sends requests for members of the formation to their doors
	mu         sync.Mutex
	transports map[transportKey]*http.Transport
}

// do sends the request and returns when the headers of the answer are there.
func (h *httpClient) do(ctx context.Context, r *request) (*http.Response, error) {
	transport, err := h.transport(r.transport)
	if err != nil {
		return nil, err
	}
	var body *strings.Reader
	message, err := http.NewRequestWithContext(ctx, r.method, r.url.String(), http.NoBody)
	if r.hasBody {
		body = strings.NewReader(r.body)
		message, err = http.NewRequestWithContext(ctx, r.method, r.url.String(), body)
	}
	if err != nil {
		return nil, err
	}
	message.Header = r.header.Clone()
	if host := message.Header.Get("Host"); host != "" {
		message.Host = host
	}
	_, member := virtualMember(message.URL.Host)
	if member && r.transport.unix != "" {
		return nil, fmt.Errorf("cannot call %q through a socket: a member is called at its door", message.URL.Host)
	}
	if err := h.route(ctx, message); err != nil {
		return nil, err
	}
	client := http.Client{Transport: transport, CheckRedirect: func(_ *http.Request, before []*http.Request) error {
		if r.redirects == 0 || member { // the token is for the member's door only
			return http.ErrUseLastResponse
		}
		if len(before) > r.redirects {
			return fmt.Errorf("more than %d redirects", r.redirects)
		}
		return nil
	}}
	return client.Do(message)
}

func (h *httpClient) transport(key transportKey) (*http.Transport, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known := h.transports[key]; known != nil {
		return known, nil
	}
	config, err := key.tls.config(h.path)
	if err != nil {
		return nil, err
	}
	d := dialer{perAddress: key.connect}
	transport := &http.Transport{
		TLSClientConfig: config, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 8, IdleConnTimeout: 30 * time.Second,
		DialContext: func(ctx context.Context, _, target string) (net.Conn, error) {
			if key.unix != "" {
				return d.unix(ctx, h.path(key.unix))
			}
			return d.dial(ctx, target)
		},
	}
	h.transports[key] = transport
	return transport, nil
}

func (h *httpClient) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, transport := range h.transports {
		transport.CloseIdleConnections()
	}
}

func (o tlsOptions) config(path func(string) string) (*tls.Config, error) {
	config := &tls.Config{ServerName: o.ServerName, InsecureSkipVerify: o.Insecure}
	if o.CA != "" {
		pem, err := os.ReadFile(path(o.CA))
		if err != nil {
			return nil, fileError("read", o.CA, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, &engine.Error{Kind: "tls", Message: fmt.Sprintf("there is no certificate in %q", o.CA)}
		}
	}
	if o.Cert != "" || o.Key != "" {
		pair, err := tls.LoadX509KeyPair(path(o.Cert), path(o.Key))
		if err != nil {
			return nil, &engine.Error{Kind: "tls", Message: fmt.Sprintf("cannot use the client certificate: %v", err), Cause: err}
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

func isTLSError(err error) bool {
	var verification *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verification) || errors.As(err, &header) || errors.As(err, &alert)
}

// rootOf takes off what net/http puts in front of an error: method and URL, which the message has already.
func rootOf(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
