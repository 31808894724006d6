package bindings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"murlua/lifecycle/door"
	"murlua/lifecycle/home"
	"murlua/lifecycle/id"
	"murlua/lifecycle/running"
	"murlua/platform/process"
)

// openDoor serves a door with a record of its own and returns a world whose home has the record.
func openDoor(t *testing.T, auth *door.Auth) (*World, *door.Server, running.Record) {
	t.Helper()
	session := id.NewSession()
	gate := make(chan struct{})
	s, err := door.Serve(door.ServerOptions{
		Name: "coder", Version: "1.0.0", Session: session, Auth: auth,
		OnTask: func(ctx context.Context, in *door.Incoming) (string, error) {
			switch in.Message.Text {
			case "wait":
				in.Emit("begun")
				<-ctx.Done()
				return "", context.Cause(ctx)
			case "fail":
				return "", errors.New("cannot do that")
			case "open the gate":
				close(gate)
			case "gated":
				<-gate
			case "":
				return string(in.Message.Parts[0].Data), nil
			}
			in.Note("reading")
			in.Emit("<" + in.Message.Text)
			return ">", nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	own, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	h, err := home.Resolve(folder)
	if err != nil {
		t.Fatal(err)
	}
	record := running.Record{
		SessionID: session, URL: s.URL(), PID: own.PID, ProcessStart: own.Start, CapsuleName: "coder", CapsuleVersion: "1.0.0",
		Workdir: folder, RecordsDir: folder, StartedAt: "2026-01-01T00:00:00Z", DoorToken: s.Token(), Credentials: s.Tokens(),
	}
	guard, err := running.Write(h, record)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = guard.Remove()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return &World{Workdir: folder, Environ: []string{"HOME=" + folder, "MURMUR_TEST=" + os.DevNull}}, s, record
}

func TestDoorCallsByAddressAndBySession(t *testing.T) {
	w, s, record := openDoor(t, nil)
	session := string(record.SessionID)
	for _, target := range []string{s.URL(), "http://" + s.URL(), session, "@1", session[30:]} {
		printed(t, w, fmt.Sprintf(`
			local target = %q
			print(mur.door.probe(target) == %q)
			local card = mur.door.card(target)
			print(card.name, card.version, card.session_id == %q, card.authenticated, card.card.capabilities.streaming, #card.methods > 5)
			local task = mur.door.send(target, "hi")
			print(task.state, task.ended, task.text, task.artifacts[1].name)
			print(mur.door.task(target, task.id).text, mur.door.send(target, "fail").note, mur.door.send(target, { n = { 1, 2 } }).text)
			local live = mur.door.send(target, "wait", { wait = false, context = task.context })
			print(live.ended, live.context == task.context, mur.door.cancel(target, live.id).state)
		`, target, record.SessionID, record.SessionID), strings.Join([]string{
			"true", "coder\t1.0.0\ttrue\tfalse\ttrue\ttrue", "completed\ttrue\t<hi>\tresponse", `<hi>` + "\tcannot do that\t" + `{"n":[1,2]}`, "false\ttrue\tcanceled",
		}, "\n"))
	}
}

func TestDoorCallsByRecord(t *testing.T) {
	w, _, _ := openDoor(t, &door.Auth{})
	printed(t, w, `
		local record = mur.running.list()[1]
		print(mur.door.send(record, "hi").text, mur.door.card(record).authenticated)
		local live = mur.door.send(record, "wait", { wait = false })
		local stopped = mur.door.stop(record)
		print(stopped.canceled[1] == live.id, #stopped.residue)
	`, "<hi>\ttrue\ntrue\t0")
}

func TestDoorStreams(t *testing.T) {
	w, s, _ := openDoor(t, nil)
	printed(t, w, fmt.Sprintf(`
		local target = %q
		local text = {}
		local gated = mur.door.stream(target, "gated")
		gated:next()
		mur.door.send(target, "open the gate")
		for event in gated:events() do
			text[#text + 1] = event.artifact and event.artifact.text or event.task.note or event.task.state
		end
		print(table.concat(text, " "):match("reading .*"))
		local stream = mur.door.stream(target, "wait")
		local first = stream:next()
		print(first.task.ended, tostring(stream) == "door stream of " .. target)
		local watch = mur.door.watch(target, { task = first.task.id })
		mur.door.cancel(target, first.task.id)
		local last
		for event in watch:events() do last = event end
		print(last.task.state)
		stream:close()
		stream:close()
		local all = mur.door.watch(target, { timeout = 5 })
		print(all:next().task.state)
	`, s.URL()), "reading <gated > completed\nfalse\ttrue\ncanceled\nsubmitted")
}

func TestDoorErrors(t *testing.T) {
	w, s, record := openDoor(t, &door.Auth{Credentials: map[string][]string{"watcher": {"GetTask"}}})
	printed(t, w, fmt.Sprintf(`
		local target, session = %q, %q
		local function failed(...)
			local ok, err = pcall(...)
			assert(not ok)
			return err
		end
		local err = failed(mur.door.send, target, "hi")
		print(err.kind, err.status, err.code)
		err = failed(mur.door.send, session, "hi", { token = mur.door.token(session, "watcher") })
		print(err.kind, err.code)
		err = failed(mur.door.task, session, "tsk_none")
		print(err.kind, err.code)
		err = failed(mur.door.send, "localhost:1", "hi")
		print(err.kind, #err.addresses)
		local none, why = mur.door.probe("localhost:1")
		print(none, why.kind)
		err = failed(mur.door.send, session, "wait", { timeout = 0.05 })
		print(err.kind)
		print(failed(mur.door.send, session, "hi", { contxt = "x" }).message:match("contxt") ~= nil)
		print(failed(mur.door.send, "@2", "hi").kind, failed(mur.door.card, "ses_0199c4e2f1b7712a9d3e4f5061728394").kind, failed(mur.door.send, 7, "hi").kind, failed(mur.door.send, session).kind)
		print(failed(mur.door.token, session, "nobody").kind)
	`, s.URL(), record.SessionID), strings.Join([]string{
		"refused\t401\tunauthenticated", "refused\tinsufficient_scope", "door\t-32001", "unreachable\t2", "nil\tunreachable", "timeout", "true",
		"no_session\tno_session\tusage\tusage", "no_token",
	}, "\n"))
}

func TestTokensAreShownOnlyWhenAskedFor(t *testing.T) {
	w, s, _ := openDoor(t, &door.Auth{})
	var log strings.Builder
	w.Log = LogOptions{Out: &log}
	out := script(t, w, `
		local record = mur.running.list()[1]
		local token = mur.door.token(record)
		print(token, tostring(token), mur.json and pcall(mur.json.encode, token))
		mur.log.info("token", { token = token, record = mur.json.encode(record) })
		print(mur.json.encode(record), pcall(mur.door.send, "localhost:1", "x", { token = token }))
		print(pcall(mur.door.send, record, "x", { token = token:reveal() .. "x" }))
		print(pcall(error, token))
		for key, value in pairs(record) do print(key, value) end
		print(mur.door.send(record.url, "hi", { token = token }).text, token == mur.door.token(record.session_id))
	`)
	secret := s.Token().Reveal()
	payload := strings.Split(secret, ".")[2]
	if strings.Contains(out+log.String(), payload) {
		t.Errorf("a token is shown:\n%s\n%s", out, log.String())
	}
	if !strings.Contains(out, "<hi>\ttrue") {
		t.Errorf("the token does not open the door:\n%s", out)
	}
	if got := script(t, w, `print(mur.door.token(mur.running.list()[1]):reveal())`); got != secret {
		t.Errorf("reveal gives %q", got)
	}
}

func TestAStoppedTaskLeavesItsDoorCall(t *testing.T) {
	w, s, _ := openDoor(t, nil)
	printed(t, w, fmt.Sprintf(`
		local ok, err = pcall(mur.task.timeout, 0.05, function() mur.door.send(%q, "wait") end)
		print(ok, err.kind)
	`, s.URL()), "false\ttimeout")
}
