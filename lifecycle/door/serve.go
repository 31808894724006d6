package door

import (
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"murlua/lifecycle/credential"
)

const peerOriginHeader = "X-Murmur-Task-Origin"

// caller is who makes a request, as far as the door knows.
type caller struct {
	gated      bool // whether the door asks for tokens
	grant      credential.Grant
	peer       bool
	completion bool // it reports the outcome of a task that it believes to have been delegated from here
}

// owner is the name under which the caller's tasks are kept apart: "" for those who reach every task.
func (c caller) owner() string {
	if c.grant.Credential == credential.Operator {
		return ""
	}
	return c.grant.Credential
}

// serve answers one request. The order of the checks is murmur's: card, token, consent to peers, JSON-RPC and version, method, scope,
// parameters; so what a refusal tells depends on nothing that comes after it.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(s.within.write))
	_ = control.SetReadDeadline(time.Now().Add(s.within.body)) // net/http reads what is left of a body after the reply
	if r.Method == http.MethodGet && r.URL.Path == cardPath {
		reply(w, http.StatusOK, s.public)
		return
	}
	origin := strings.ToLower(r.Header.Get(peerOriginHeader))
	from := caller{peer: origin == "peer", completion: origin == "completion"}
	if s.gate != nil {
		grant, refused := s.gate.check(r)
		if refused != nil {
			s.refuse(w, refused)
			return
		}
		from.gated, from.grant = true, grant
	}
	if from.peer && s.options.RefusePeers {
		s.refuse(w, peerRefusal())
		return
	}
	if r.Method != http.MethodPost || r.URL.Path != "/" || !isJSON(r) || r.ContentLength == 0 {
		reply(w, http.StatusNotFound, nil)
		return
	}
	body, status := s.readBody(control, w, r)
	if status != http.StatusOK {
		reply(w, status, nil)
		return
	}
	s.answer(w, r, from, body)
}

func isJSON(r *http.Request) bool {
	return strings.Contains(strings.ToLower(r.Header.Get("Content-Type")), "application/json")
}

// readBody reads the request's body within the limits for one and for all together.
func (s *Server) readBody(control *http.ResponseController, w http.ResponseWriter, r *http.Request) ([]byte, int) {
	size := r.ContentLength
	if size > s.options.MaxBody {
		return nil, http.StatusRequestEntityTooLarge
	}
	if size < 0 {
		size = s.options.MaxBody
	}
	defer s.bodies.Add(-size)
	if s.bodies.Add(size) > maxBodies {
		return nil, http.StatusServiceUnavailable
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.options.MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, http.StatusRequestEntityTooLarge
	case err != nil:
		return nil, http.StatusBadRequest
	}
	_ = control.SetReadDeadline(time.Time{}) // from here on a reader watches for the client's leaving, however long that takes
	return body, http.StatusOK
}

// drainTimeout is how long a refused caller has to send what it began to (murmur's value): closing the connection before that could
// reset it before the refusal was read.
const drainTimeout = 500 * time.Millisecond

// reply writes a whole reply; its length is always given.
func reply(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	if len(body) > 0 {
		header.Set("Content-Type", "application/json")
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	if status != http.StatusOK {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTimeout))
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (s *Server) refuse(w http.ResponseWriter, r *refusal) {
	if challenge := r.header(s.options.Name); challenge != "" {
		w.Header().Set("Www-Authenticate", challenge)
	}
	reply(w, r.status, encode(map[string]string{"error": r.code, "message": r.message}))
}

// errorLog gives net/http a place for its complaints.
func errorLog(to *slog.Logger) *log.Logger {
	if to == nil {
		return log.New(io.Discard, "", 0)
	}
	return slog.NewLogLogger(to.Handler(), slog.LevelWarn)
}
