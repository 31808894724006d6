package bindings

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"murlua/engine"
)

// fakedDoor is a server that answers as a test wants it to.
type fakedDoor struct {
	listener net.Listener
	server   *http.Server
	done     chan struct{}
	requests atomic.Int64
}

var fakeDoorType = &engine.Type{
	Name: "fake_door", Class: "mur.FakeDoor",
	Methods: map[string]engine.Function{
		"close": func(c *engine.Call) error {
			d := c.Self().(*fakedDoor)
			return c.Block(func(context.Context) error { return d.close() })
		},
	},
	Fields: map[string]func(any) any{
		"url":      func(v any) any { return v.(*fakedDoor).address() },
		"port":     func(v any) any { return v.(*fakedDoor).listener.Addr().(*net.TCPAddr).Port },
		"requests": func(v any) any { return v.(*fakedDoor).requests.Load() },
	},
	String: func(v any) string { return "fake door at " + v.(*fakedDoor).address() },
}

func (d *fakedDoor) address() string {
	return "localhost:" + strconv.Itoa(d.listener.Addr().(*net.TCPAddr).Port)
}

func (d *fakedDoor) close() error {
	err := d.server.Close()
	<-d.done
	return err
}

// fakeDoor opens a door that answers everything alike.
func fakeDoor(c *engine.Call) error {
	o := c.Options(1)
	status := o.Int("status", http.StatusOK)
	body := o.String("body", "")
	session := o.String("session", "")
	delay := o.Duration("delay", 0)
	if session != "" && o.Has("body") {
		o.Bad("body", "a session is given as well: one of the two")
	}
	o.Done(false)
	if session != "" {
		body = cardOf(session)
	}
	var d *fakedDoor
	err := c.Block(func(ctx context.Context) (err error) {
		d, err = openFakeDoor(ctx, status, body, delay)
		return err
	})
	if err != nil {
		return err
	}
	c.Host().OnClose(func(context.Context) error { return d.close() })
	return c.Return(fakeDoorType.Box(d))
}

func openFakeDoor(ctx context.Context, status int, body string, delay time.Duration) (*fakedDoor, error) {
	var listening net.ListenConfig
	listener, err := listening.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	d := &fakedDoor{listener: listener, done: make(chan struct{})}
	d.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.requests.Add(1)
		timer := time.NewTimer(delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Header().Set("Connection", "close")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})}
	go func() { // ends with close
		defer close(d.done)
		_ = d.server.Serve(listener)
	}()
	return d, nil
}

// cardOf is a public agent card that names a session: what readiness and verification read.
func cardOf(session string) string {
	text, err := json.Marshal(map[string]any{
		"name": "fake", "version": "0.1.0",
		"capabilities": map[string]any{"extensions": []any{map[string]any{
			"uri":    "https://docs.murmur.nexus/reference/agent-card/#murmur-capsule-v1",
			"params": map[string]any{"sessionId": session},
		}}},
	})
	if err != nil {
		return "{}"
	}
	return string(text)
}
