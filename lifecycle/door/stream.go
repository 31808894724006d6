package door

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// stream answers with a stream of events: those of a new task, of a task that is under way, or of the whole session. The first two
// begin with the task as it stands and end with its end; the last one goes on until the door closes or the client leaves.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, from caller, c call, op operation) {
	if !s.hold() {
		reply(w, http.StatusServiceUnavailable, nil)
		return
	}
	defer s.release()
	var e *entry
	var failure *rpcError
	switch op {
	case opStream:
		e, failure = s.streamNew(from, c)
	case opSubscribe:
		e, failure = s.streamOld(from, c)
	}
	if failure != nil {
		replyRPC(w, c, nil, failure)
		return
	}
	out := &eventWriter{w: w, control: http.NewResponseController(w), within: s.within.write, call: c, frames: c.dialect == v1 && (op == opWatch || activates(r))}
	out.open()
	if e == nil {
		s.watch(out, r)
		return
	}
	task, cursor := s.tasks.view(e)
	if out.task(task) && !task.State.Ended() {
		s.followTask(out, r, cursor, e)
	}
}

// watch follows the session, from the event after the one that the request names.
func (s *Server) watch(out *eventWriter, r *http.Request) {
	after, _ := strconv.ParseUint(r.Header.Get("Last-Event-Id"), 10, 64)
	if out.frame(frame{Frame: "connection-ack", Role: "observer", Mode: "stateless"}) {
		s.follow(out, r, min(after, s.hub.newest()), "")
	}
}

func (s *Server) streamNew(from caller, c call) (*entry, *rpcError) {
	message, _, failure := readMessage(c)
	if failure == nil && message.Task != "" {
		failure = s.noContinuation(from, c, message.Task)
	}
	if failure != nil {
		return nil, failure
	}
	e, _ := s.begin(message, from)
	return e, nil
}

func (s *Server) streamOld(from caller, c call) (*entry, *rpcError) {
	id, failure := readID(c)
	if failure != nil {
		return nil, failure
	}
	e, task, found := s.tasks.find(id, from.owner())
	if !found {
		return nil, notFound(c, id)
	}
	if task.State.Ended() {
		state := c.dialect.state(task.State)
		return nil, c.fail(CodeUnsupported, "task "+quoted(id)+" has ended in "+state+"; there is nothing left to subscribe to", "taskId", id, "state", state)
	}
	return e, nil
}

// followTask follows one task. If events were lost, the task as a whole is sent again, so that nothing is missing.
func (s *Server) followTask(out *eventWriter, r *http.Request, cursor uint64, e *entry) {
	for {
		next, lost := s.follow(out, r, cursor, e.task.ID)
		if !lost {
			return
		}
		task, now := s.tasks.view(e)
		if !out.task(task) || task.State.Ended() {
			return
		}
		cursor = max(next, now)
	}
}

// follow sends the events after a cursor, of one task or of all (""). It returns when the task has ended, the door closes or the client leaves;
// following one task, also when events were lost.
func (s *Server) follow(out *eventWriter, r *http.Request, cursor uint64, task string) (next uint64, lost bool) {
	beat := time.NewTicker(s.within.beat)
	defer beat.Stop()
	for {
		events, missed, wake, done := s.hub.after(cursor)
		if missed > 0 && task != "" {
			return cursor, true
		}
		if missed > 0 && !out.frame(frame{Frame: "lagged", Missed: missed}) {
			return cursor, false
		}
		for _, event := range events {
			cursor = event.ID
			if task != "" && event.Task.ID != task {
				continue
			}
			if !out.event(event) || task != "" && event.Task.State.Ended() {
				return cursor, false
			}
		}
		if done {
			return cursor, false
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-wake:
		case <-beat.C:
			if !out.beat() {
				return cursor, false
			}
		case <-r.Context().Done():
			return cursor, false
		}
	}
}

// eventWriter writes server-sent events, each a JSON-RPC reply to the same call.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	within  time.Duration // for each write
	call    call
	frames  bool // murmur's frames are wanted
}

// open writes the head. The stream has no length and is not chunked: it ends with the connection, as murmur's do.
func (o *eventWriter) open() {
	header := o.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	header.Set("Transfer-Encoding", "identity")
	if o.frames {
		header.Set(extensionsHeader, streamExtension)
	}
	o.w.WriteHeader(http.StatusOK)
	_ = o.control.Flush()
}

func (o *eventWriter) task(t Task) bool {
	return o.result(0, o.call.dialect.wrap("task", o.call.dialect.task(t)))
}

func (o *eventWriter) event(e Event) bool {
	d := o.call.dialect
	switch {
	case !o.frames || e.Artifact == nil:
		return o.result(e.ID, d.event(e))
	case e.Last:
		e.Artifact, e.Append = answerArtifact(e.whole), false
		return o.result(e.ID, d.event(e))
	}
	return o.result(e.ID, d.textFrame(e))
}

// frame sends a frame of the session to those who want frames.
func (o *eventWriter) frame(f frame) bool {
	return !o.frames || o.result(0, o.call.dialect.sessionFrame(f))
}

func (o *eventWriter) beat() bool { return o.write([]byte(": \n\n")) }

func (o *eventWriter) result(id uint64, result any) bool {
	var b bytes.Buffer
	if id > 0 {
		b.WriteString("id: " + strconv.FormatUint(id, 10) + "\n")
	}
	b.WriteString("data: ")
	b.Write(encode(rpcReply{JSONRPC: "2.0", ID: o.call.id, Result: result}))
	b.WriteString("\n\n")
	return o.write(b.Bytes())
}

// write sends one piece within the deadline; a client that does not read is left.
func (o *eventWriter) write(piece []byte) bool {
	_ = o.control.SetWriteDeadline(time.Now().Add(o.within))
	if _, err := o.w.Write(piece); err != nil {
		return false
	}
	return o.control.Flush() == nil
}

// event returns an update as the dialect writes it.
func (d dialect) event(e Event) any {
	if e.Artifact != nil {
		return d.wrap("artifactUpdate", wireArtifactUpdate{
			Kind: d.kind("artifact-update"), TaskID: e.Task.ID, ContextID: e.Task.Context,
			Artifact: d.artifact(*e.Artifact), Append: e.Append, LastChunk: e.Last,
		})
	}
	update := wireStatusUpdate{Kind: d.kind("status-update"), TaskID: e.Task.ID, ContextID: e.Task.Context, Status: d.status(e.Task)}
	if d == v03 {
		ended := e.Task.State.Ended()
		update.Final = &ended
	}
	return d.wrap("statusUpdate", update)
}
