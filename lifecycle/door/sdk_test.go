package door_test

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/credential"
	"murlua/lifecycle/door"
)

// sdkClient makes the official client for a door, from the card it serves and with a token if there is one.
func sdkClient(t *testing.T, url string, token credential.Secret) (context.Context, *a2aclient.Client, *a2a.AgentCard) {
	t.Helper()
	plain := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	card, err := agentcard.NewResolver(plain).Resolve(t.Context(), "http://"+url)
	if err != nil {
		t.Fatal(err)
	}
	store := a2aclient.NewInMemoryCredentialsStore()
	store.Set("s", "bearer", a2aclient.AuthCredential(token.Reveal()))
	client, err := a2aclient.NewFromCard(t.Context(), card, a2aclient.WithJSONRPCTransport(plain), a2aclient.WithCallInterceptors(&a2aclient.AuthInterceptor{Service: store}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Destroy() })
	return a2aclient.AttachSessionID(t.Context(), "s"), client, card
}

func ask(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

func TestTheOfficialClientDrivesOurDoor(t *testing.T) {
	for name, auth := range map[string]*door.Auth{"public": nil, "authenticated": {}} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, door.ServerOptions{Auth: auth, OnTask: func(ctx context.Context, in *door.Incoming) (string, error) {
				switch in.Message.Text {
				case "wait":
					return untilCanceled(ctx, in)
				case "fail":
					return "", errors.New("cannot do that")
				}
				in.Emit(in.Message.Text)
				return "!", nil
			}})
			ctx, client, card := sdkClient(t, s.URL(), s.Token())
			if card.Name != "coder" || !card.Capabilities.Streaming || card.Capabilities.ExtendedAgentCard != (auth != nil) {
				t.Errorf("the card reads %+v", card)
			}
			drive(t, ctx, client)
			extended, err := client.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
			if (err == nil) != (auth != nil) {
				t.Errorf("GetExtendedAgentCard gives %+v, %v", extended, err)
			}
		})
	}
}

// drive makes every call of the official client that a door answers.
func drive(t *testing.T, ctx context.Context, client *a2aclient.Client) {
	t.Helper()
	result, err := client.SendMessage(ctx, ask("hi"))
	task, ok := result.(*a2a.Task)
	if err != nil || !ok || task.Status.State != a2a.TaskStateCompleted || task.Artifacts[0].Parts[0].Text() != "hi!" {
		t.Fatalf("SendMessage gives %+v, %v", result, err)
	}
	got, err := client.GetTask(ctx, &a2a.GetTaskRequest{ID: task.ID})
	if diff := cmp.Diff(task, got); err != nil || diff != "" {
		t.Errorf("GetTask: %v\n%s", err, diff)
	}
	result, err = client.SendMessage(ctx, ask("fail"))
	if failed, ok := result.(*a2a.Task); err != nil || !ok || failed.Status.State != a2a.TaskStateFailed || failed.Status.Message.Parts[0].Text() != "cannot do that" {
		t.Errorf("a failing task gives %+v, %v", result, err)
	}
	if _, err = client.GetTask(ctx, &a2a.GetTaskRequest{ID: "tsk_none"}); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("an unknown task gives %v", err)
	}

	var answer, last string
	for event, err := range client.SendStreamingMessage(ctx, ask("hi")) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := event.(type) {
		case *a2a.Task: // as it stood when the stream began, which may be its end
			last = string(e.Status.State)
			for _, artifact := range e.Artifacts {
				answer += artifact.Parts[0].Text()
			}
		case *a2a.TaskArtifactUpdateEvent:
			answer += e.Artifact.Parts[0].Text()
		case *a2a.TaskStatusUpdateEvent:
			last = string(e.Status.State)
		}
	}
	if answer != "hi!" || last != string(a2a.TaskStateCompleted) {
		t.Errorf("the stream gives %q and ends in %q", answer, last)
	}
	driveCancel(t, ctx, client, task)

	listed, err := client.ListTasks(ctx, &a2a.ListTasksRequest{Status: a2a.TaskStateCompleted, PageSize: 1})
	if err != nil || len(listed.Tasks) != 1 || listed.TotalSize != 2 || listed.NextPageToken == "" {
		t.Fatalf("ListTasks gives %+v, %v", listed, err)
	}
	listed, err = client.ListTasks(ctx, &a2a.ListTasksRequest{Status: a2a.TaskStateCompleted, PageSize: 1, PageToken: listed.NextPageToken, IncludeArtifacts: true})
	if err != nil || len(listed.Tasks) != 1 || listed.NextPageToken != "" || listed.Tasks[0].ID != task.ID || len(listed.Tasks[0].Artifacts) != 1 {
		t.Errorf("the second page is %+v, %v", listed, err)
	}
	if _, err := client.CreateTaskPushConfig(ctx, &a2a.PushConfig{TaskID: task.ID, URL: "http://localhost:1"}); !errors.Is(err, a2a.ErrPushNotificationNotSupported) {
		t.Errorf("a push configuration gives %v", err)
	}
}

func driveCancel(t *testing.T, ctx context.Context, client *a2aclient.Client, ended *a2a.Task) {
	t.Helper()
	waiting := ask("wait")
	waiting.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	result, err := client.SendMessage(ctx, waiting)
	live, ok := result.(*a2a.Task)
	if err != nil || !ok || live.Status.State.Terminal() {
		t.Fatalf("SendMessage without waiting gives %+v, %v", result, err)
	}
	last := a2a.TaskState("")
	for event, err := range client.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: live.ID}) {
		if err != nil {
			t.Fatal(err)
		}
		if first, ok := event.(*a2a.Task); ok {
			canceled, err := client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: first.ID})
			if err != nil || canceled.Status.State != a2a.TaskStateCanceled {
				t.Fatalf("CancelTask gives %+v, %v", canceled, err)
			}
		}
		if update, ok := event.(*a2a.TaskStatusUpdateEvent); ok {
			last = update.Status.State
		}
	}
	if last != a2a.TaskStateCanceled {
		t.Errorf("the subscription ends in %q", last)
	}
	if _, err = client.CancelTask(ctx, &a2a.CancelTaskRequest{ID: ended.ID}); !errors.Is(err, a2a.ErrTaskNotCancelable) {
		t.Errorf("canceling an ended task gives %v", err)
	}
}

// executor is an agent for the official server.
type executor struct{}

func (executor) Execute(ctx context.Context, in *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		text := in.Message.Parts[0].Text()
		if text == "message" {
			yield(a2a.NewMessage(a2a.MessageRoleAgent, a2a.NewTextPart("just a message")), nil)
			return
		}
		if !yield(a2a.NewSubmittedTask(in, in.Message), nil) || !yield(a2a.NewStatusUpdateEvent(in, a2a.TaskStateWorking, nil), nil) {
			return
		}
		if text == "wait" {
			<-ctx.Done()
			return
		}
		first := a2a.NewArtifactEvent(in, a2a.NewTextPart("one "))
		if yield(first, nil) && yield(a2a.NewArtifactUpdateEvent(in, first.Artifact.ID, a2a.NewTextPart("two")), nil) {
			yield(a2a.NewStatusUpdateEvent(in, a2a.TaskStateCompleted, nil), nil)
		}
	}
}

func (executor) Cancel(_ context.Context, in *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(in, a2a.TaskStateCanceled, nil), nil)
	}
}

func TestOurClientDrivesTheOfficialServer(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.Handle("/", a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(executor{})))
	mux.Handle(a2asrv.WellKnownAgentCardPath, a2asrv.NewStaticAgentCardHandler(&a2a.AgentCard{
		Name: "official", Version: "2", Capabilities: a2a.AgentCapabilities{Streaming: true},
		SupportedInterfaces: []*a2a.AgentInterface{a2a.NewAgentInterface(server.URL, a2a.TransportProtocolJSONRPC)},
	}))
	client := door.Client{URL: server.URL}

	card, err := client.Card(t.Context())
	if err != nil || card.Name != "official" || card.Protocol != "1.0" || !card.Streaming || card.Session != "" {
		t.Errorf("Card gives %+v, %v", card, err)
	}
	message, err := client.Send(t.Context(), door.Message{Text: "message"})
	if err != nil || message.Text() != "just a message" || message.State != door.Completed {
		t.Errorf("a message gives %+v, %v", message, err)
	}
	task, err := client.Send(t.Context(), door.Message{Text: "work"})
	if err != nil || task.State != door.Completed || strings.ReplaceAll(task.Text(), "\n", "") != "one two" {
		t.Errorf("Send gives %+v, %v", task, err)
	}
	again, err := client.Task(t.Context(), task.ID)
	if diff := cmp.Diff(task, again); err != nil || diff != "" {
		t.Errorf("Task: %v\n%s", err, diff)
	}
	var failure *door.RPCError
	if _, err := client.Task(t.Context(), "none"); !errors.As(err, &failure) || failure.Code != door.CodeTaskNotFound {
		t.Errorf("an unknown task gives %v", err)
	}
	live, err := client.Submit(t.Context(), door.Message{Text: "wait"})
	if err != nil || live.State.Ended() {
		t.Fatalf("Submit gives %+v, %v", live, err)
	}
	if canceled, err := client.Cancel(t.Context(), live.ID); err != nil || canceled.State != door.Canceled {
		t.Errorf("Cancel gives %+v, %v", canceled, err)
	}
	stream, err := client.Stream(t.Context(), door.Message{Text: "work"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	text, last := "", door.State("")
	for {
		event, err := stream.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if event.Artifact != nil {
			text += event.Artifact.Text()
		} else {
			last = event.Task.State
		}
	}
	if text != "one two" || last != door.Completed {
		t.Errorf("the stream gives %q and ends in %q", text, last)
	}
}
