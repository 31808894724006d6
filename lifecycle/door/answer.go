package door

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
)

// answer reads a JSON-RPC call and answers it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, from caller, body []byte) {
	c, failure := readCall(body)
	if failure != nil {
		replyRPC(w, c, nil, failure)
		return
	}
	versions := r.Header.Values(versionHeader)
	if !acceptsVersions(versions) {
		asked := strings.Join(versions, ", ")
		replyRPC(w, c, nil, c.fail(CodeVersionNotSupported, "A2A version "+quoted(asked)+" is not supported; this agent speaks "+version+" and "+oldVersion,
			"requestedVersion", asked, "supportedVersions", version+", "+oldVersion))
		return
	}
	if from.completion { // a message that starts no task anywhere, whatever its method
		replyRPC(w, c, nil, &rpcError{Code: codeNotAwaited, Message: "no task here waits for this outcome"})
		return
	}
	m, known := methodNamed(c.method)
	c.dialect = m.dialect
	if m.own && (len(versions) == 0 || !isVersion(versions[0], version)) {
		c.dialect = v03
	}
	if failure := s.unserved(c, m, known); failure != nil {
		replyRPC(w, c, nil, failure)
		return
	}
	if from.gated && m.op != opExtendedCard && !from.grant.Allows(m.name) {
		s.refuse(w, outOfScope(from.grant, m.name))
		return
	}
	if len(c.params) == 0 || c.params[0] != '{' {
		replyRPC(w, c, nil, badParams("params must be an object"))
		return
	}
	s.perform(w, r, from, c, m.op)
}

// unserved says how a method that this door does not serve is answered.
func (s *Server) unserved(c call, m method, known bool) *rpcError {
	switch {
	case !known:
		return &rpcError{Code: codeMethodNotFound, Message: "Method not found"}
	case m.op == opPush:
		return c.fail(CodePushNotSupported, "push notifications are not supported by this agent")
	case m.op == opExtendedCard && s.gate == nil && m.dialect == v03:
		return c.fail(CodeNoExtendedCard, "this agent serves no extended agent card")
	case m.op == opExtendedCard && s.gate == nil:
		return c.fail(CodeUnsupported, "this agent serves no extended agent card")
	case m.op.startsTasks() && s.options.OnTask == nil && m.op != opSend:
		return c.fail(CodeUnsupported, "this agent does not stream: it takes no tasks")
	case m.op.startsTasks() && s.options.OnTask == nil:
		return &rpcError{Code: codeMethodNotFound, Message: "Method not found"}
	}
	return nil
}

// acceptsVersions reports whether the A2A-Version headers name a version that this door speaks. None means an older client, more than
// one is refused. A patch number takes no part.
func acceptsVersions(values []string) bool {
	if len(values) == 0 {
		return true
	}
	return len(values) == 1 && (strings.TrimSpace(values[0]) == "" || isVersion(values[0], version) || isVersion(values[0], oldVersion))
}

func isVersion(value, want string) bool {
	rest, found := strings.CutPrefix(strings.TrimSpace(value), want)
	patch, dotted := strings.CutPrefix(rest, ".")
	digits := patch != "" && strings.IndexFunc(patch, func(r rune) bool { return r < '0' || r > '9' }) < 0
	return found && (rest == "" || dotted && digits)
}

// perform does what a call asks for, once it is known to be allowed.
func (s *Server) perform(w http.ResponseWriter, r *http.Request, from caller, c call, op operation) {
	var result any
	var failure *rpcError
	switch op {
	case opSend:
		s.send(w, r, from, c)
		return
	case opStream, opSubscribe, opWatch:
		s.stream(w, r, from, c, op)
		return
	case opGet:
		result, failure = s.get(from, c)
	case opList:
		result, failure = s.list(from, c)
	case opCancel:
		result, failure = s.cancelTask(from, c)
	case opExtendedCard:
		result = json.RawMessage(s.extended)
	case opStop:
		s.stopSession(w, c)
		return
	}
	replyRPC(w, c, result, failure)
}

func replyRPC(w http.ResponseWriter, c call, result any, failure *rpcError) {
	reply(w, http.StatusOK, encode(rpcReply{JSONRPC: "2.0", ID: c.id, Result: result, Error: failure}))
}

func (s *Server) get(from caller, c call) (any, *rpcError) {
	id, failure := readID(c)
	if failure != nil {
		return nil, failure
	}
	_, task, found := s.tasks.find(id, from.owner())
	if !found {
		return nil, notFound(c, id)
	}
	return c.dialect.task(task), nil
}

// notFound answers for a task that does not exist and for one that the caller may not see alike.
func notFound(c call, id string) *rpcError {
	return c.fail(CodeTaskNotFound, "Task not found", "taskId", id)
}

func (s *Server) cancelTask(from caller, c call) (any, *rpcError) {
	id, failure := readID(c)
	if failure != nil {
		return nil, failure
	}
	e, _, found := s.tasks.find(id, from.owner())
	if !found {
		return nil, notFound(c, id)
	}
	task, canceled := s.tasks.stop(e, errors.New("the task was canceled"))
	if !canceled {
		state := c.dialect.state(task.State)
		return nil, c.fail(CodeTaskNotCancelable, "Task cannot be canceled: it is already "+state, "taskId", id, "state", state)
	}
	return c.dialect.task(task), nil
}

// stopSession cancels every task and says what is left; ending the process is for the signal that follows.
func (s *Server) stopSession(w http.ResponseWriter, c call) {
	canceled := s.tasks.stopAll(errors.New("the session was asked to stop"))
	residue := []any{}
	if s.options.Residue != nil {
		residue = append(residue, s.options.Residue()...)
	}
	replyRPC(w, c, map[string]any{"session_id": s.options.Session, "canceled": canceled, "residue": residue}, nil)
	_ = http.NewResponseController(w).Flush()
	if s.options.OnStop != nil {
		s.options.OnStop()
	}
}

// send starts a task and, unless the caller does not want to wait, holds the answer until the task has ended.
func (s *Server) send(w http.ResponseWriter, r *http.Request, from caller, c call) {
	message, immediately, failure := readMessage(c)
	if failure == nil && message.Task != "" {
		failure = s.noContinuation(from, c, message.Task)
	}
	if failure != nil {
		replyRPC(w, c, nil, failure)
		return
	}
	if !immediately {
		if !s.hold() {
			reply(w, http.StatusServiceUnavailable, nil)
			return
		}
		defer s.release()
	}
	e, accepted := s.begin(message, from)
	if accepted && !immediately {
		select {
		case <-e.settled:
		case <-s.closing:
		case <-r.Context().Done():
			return // the caller has gone; the task goes on
		}
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.within.write))
	task, _ := s.tasks.view(e)
	replyRPC(w, c, c.dialect.wrap("task", c.dialect.task(task)), nil)
}

// noContinuation refuses a message to a task that exists: tasks here never wait for more input.
func (s *Server) noContinuation(from caller, c call, id string) *rpcError {
	_, task, found := s.tasks.find(id, from.owner())
	if !found {
		return notFound(c, id)
	}
	state := c.dialect.state(task.State)
	return c.fail(CodeUnsupported, "task "+quoted(id)+" is "+state+" and takes no message; send one without taskId to start a new task", "taskId", id, "state", state)
}

// begin registers a task and starts its handler.
func (s *Server) begin(message Message, from caller) (e *entry, accepted bool) {
	ctx, cancel := context.WithCancelCause(s.base)
	e, accepted = s.tasks.start(message.Context, from.owner(), s.options.MaxTasks, cancel)
	if !accepted {
		cancel(nil)
		return e, false
	}
	in := &Incoming{
		ID: e.task.ID, Context: e.task.Context, Message: message, Caller: from.grant.Credential, Member: from.grant.Member, Peer: from.peer,
		registry: s.tasks, entry: e,
	}
	go func() { // the registry waits for it
		defer cancel(nil)
		s.tasks.work(e, "")
		answer, err := s.options.OnTask(ctx, in)
		s.tasks.finish(e, answer, err)
	}()
	return e, true
}

// hold takes one of the places for connections that wait; half of all connections stay free for those that do not.
func (s *Server) hold() bool {
	if s.held.Add(1) <= int64(max(1, s.options.MaxConnections/2)) {
		return true
	}
	s.held.Add(-1)
	return false
}

func (s *Server) release() { s.held.Add(-1) }
