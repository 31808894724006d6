package door_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
	"murlua/lifecycle/id"
)

// serve opens a door for the time of the test.
func serve(t testing.TB, o door.ServerOptions) *door.Server {
	t.Helper()
	if o.Name == "" {
		o.Name, o.Version = "coder", "1.0.0"
	}
	if o.Session == "" {
		o.Session = id.Session(session)
	}
	s, err := door.Serve(o)
	if err != nil {
		t.Fatal(err)
	}
	return closedAfter(t, s)
}

// closedAfter closes the door when the test has ended.
func closedAfter(t testing.TB, s *door.Server) *door.Server {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// upper answers with the message in capitals.
func upper(_ context.Context, in *door.Incoming) (string, error) {
	return strings.ToUpper(in.Message.Text), nil
}

// untilCanceled works until its context ends.
func untilCanceled(ctx context.Context, in *door.Incoming) (string, error) {
	in.Emit("begun")
	<-ctx.Done()
	return "", context.Cause(ctx)
}

func TestADoorAnswersAsItsSession(t *testing.T) {
	for _, auth := range []*door.Auth{nil, {}} {
		s := serve(t, door.ServerOptions{OnTask: upper, Auth: auth})
		if got, err := door.Probe(t.Context(), s.URL(), s.Token()); err != nil || got != session {
			t.Errorf("Probe gives %q, %v", got, err)
		}
		if !strings.HasPrefix(s.URL(), "localhost:") {
			t.Errorf("URL is %q", s.URL())
		}
		client := door.Client{URL: s.URL(), Token: s.Token()}
		card, err := client.Card(t.Context())
		if err != nil || card.Session != session || card.Name != "coder" || card.Version != "1.0.0" || card.Protocol != "1.0" || card.Authenticated != (auth != nil) {
			t.Errorf("Card gives %+v, %v", card, err)
		}
		if auth == nil {
			continue
		}
		if _, err := door.Probe(t.Context(), s.URL(), credential.Secret{}); err == nil || !strings.Contains(err.Error(), "names no session") {
			t.Errorf("the public card of an authenticated door gives %v", err)
		}
	}
}

func TestSendWaitsForTheAnswer(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: func(_ context.Context, in *door.Incoming) (string, error) {
		in.Note("reading")
		in.Emit("<" + in.Message.Text)
		if in.Message.Text == "bad" {
			return "", errors.New("cannot do that")
		}
		return ">", nil
	}})
	client := door.Client{URL: s.URL()}
	task, err := client.Send(t.Context(), door.Message{Text: "good"})
	if err != nil || task.State != door.Completed || task.Text() != "<good>" || task.ID == "" || task.Context == "" {
		t.Errorf("Send gives %+v, %v", task, err)
	}
	again, err := client.Task(t.Context(), task.ID)
	if diff := cmp.Diff(task, again); err != nil || diff != "" {
		t.Errorf("Task gives another task than Send: %v\n%s", err, diff)
	}
	task, err = client.Send(t.Context(), door.Message{Text: "bad", Context: task.Context})
	if err != nil || task.State != door.Failed || task.Note != "cannot do that" || task.Context != again.Context {
		t.Errorf("Send gives %+v, %v", task, err)
	}
	var failure *door.RPCError
	if _, err = client.Task(t.Context(), "tsk_none"); !errors.As(err, &failure) || failure.Code != door.CodeTaskNotFound {
		t.Errorf("an unknown task gives %v", err)
	}
}

func TestATaskIsCanceled(t *testing.T) {
	s := serve(t, door.ServerOptions{OnTask: untilCanceled})
	client := door.Client{URL: s.URL()}
	task, err := client.Submit(t.Context(), door.Message{Text: "x"})
	if err != nil || task.State.Ended() {
		t.Fatalf("Submit gives %+v, %v", task, err)
	}
	canceled, err := client.Cancel(t.Context(), task.ID)
	if err != nil || canceled.State != door.Canceled {
		t.Errorf("Cancel gives %+v, %v", canceled, err)
	}
	var failure *door.RPCError
	if _, err = client.Cancel(t.Context(), task.ID); !errors.As(err, &failure) || failure.Code != door.CodeTaskNotCancelable {
		t.Errorf("the second Cancel gives %v", err)
	}
}

func TestStopSessionCancelsEverything(t *testing.T) {
	stopped := make(chan struct{}, 2)
	s := serve(t, door.ServerOptions{OnTask: untilCanceled, OnStop: func() { stopped <- struct{}{} }, Residue: func() []any { return []any{map[string]int{"pid": 7}} }})
	client := door.Client{URL: s.URL()}
	var ids []string
	for range 3 {
		task, err := client.Submit(t.Context(), door.Message{Text: "x"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, task.ID)
	}
	result, err := client.StopSession(t.Context())
	if diff := cmp.Diff(ids, result.Canceled); err != nil || diff != "" || len(result.Residue) != 1 || string(result.Residue[0]) != `{"pid":7}` {
		t.Errorf("StopSession gives %+v, %v", result, err)
	}
	<-stopped
	if result, err = client.StopSession(t.Context()); err != nil || len(result.Canceled) != 0 {
		t.Errorf("the second StopSession gives %+v, %v", result, err)
	}
	<-stopped
}

func TestAStreamFollowsATaskToItsEnd(t *testing.T) {
	begin := make(chan struct{})
	s := serve(t, door.ServerOptions{OnTask: func(_ context.Context, in *door.Incoming) (string, error) {
		<-begin // until the stream has begun, or some of this would be in the task that it begins with
		in.Emit("one ")
		in.Note("half way")
		in.Emit("two ")
		return "three", nil
	}})
	client := door.Client{URL: s.URL()}
	stream, err := client.Stream(t.Context(), door.Message{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	var answer, last string
	var notes []string
	for {
		event, err := stream.Next()
		if last == "" {
			close(begin)
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if event.Artifact != nil {
			answer += event.Artifact.Text()
			continue
		}
		for _, artifact := range event.Task.Artifacts { // of the task as it stood when the stream began
			answer += artifact.Text()
		}
		last = string(event.Task.State)
		if event.Task.Note != "" {
			notes = append(notes, event.Task.Note)
		}
	}
	if answer != "one two three" || last != "completed" {
		t.Errorf("the stream gives %q and ends in %s", answer, last)
	}
	if diff := cmp.Diff([]string{"half way"}, notes); diff != "" {
		t.Errorf("notes: %s", diff)
	}
}

func TestCloseCancelsTasksAndAnswersWhoWaits(t *testing.T) {
	s, err := door.Serve(door.ServerOptions{Name: "coder", Version: "1", Session: session, OnTask: untilCanceled})
	if err != nil {
		t.Fatal(err)
	}
	client := door.Client{URL: s.URL()}
	begun, err := client.Stream(t.Context(), door.Message{Text: "x"})
	if err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	for event := (door.Event{}); event.Artifact == nil && len(event.Task.Artifacts) == 0; {
		if event, err = begun.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	event, err := begun.Next()
	if err != nil || event.Task.State != door.Canceled {
		t.Errorf("after Close the stream gives %+v, %v", event, err)
	}
	if _, err = begun.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("the stream does not end: %v", err)
	}
	if _, err := door.Probe(t.Context(), s.URL(), credential.Secret{}); err == nil {
		t.Error("the door answers after Close")
	}
}
