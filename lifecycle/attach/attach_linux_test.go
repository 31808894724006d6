package attach

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"murlua/lifecycle/home"
	"murlua/platform/process"
)

func TestMain(m *testing.M) {
	if os.Getenv("MURLUA_TEST_DIAL") != "" {
		dialAsAnother()
		return
	}
	goleak.VerifyTestMain(m)
}

func testHome(t *testing.T, below string) home.Home {
	t.Helper()
	dir := filepath.Join(t.TempDir(), below)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	h, err := home.Resolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func me(t *testing.T) process.Identity {
	t.Helper()
	id, err := process.Current()
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func listen(t *testing.T, h home.Home) *Listener {
	t.Helper()
	l, err := Listen(h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestTheOwnerGetsIn(t *testing.T) {
	for name, below := range map[string]string{"a short path": "x", "a path too long for an address": strings.Repeat("long/", 40)} {
		t.Run(name, func(t *testing.T) {
			h := testHome(t, below)
			l := listen(t, h)
			go func() {
				if conn, err := l.Accept(); err == nil {
					_, _ = io.WriteString(conn, "hello")
					conn.Close()
				}
			}()
			conn, err := Dial(t.Context(), h, me(t))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if text, err := io.ReadAll(conn); err != nil || string(text) != "hello" {
				t.Errorf("read %q, %v", text, err)
			}
		})
	}
}

func TestModes(t *testing.T) {
	h := testHome(t, "x")
	l := listen(t, h)
	for path, want := range map[string]os.FileMode{folder(h): 0o700, l.path: 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v (%v)", path, info.Mode().Perm(), want, err)
		}
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(l.path); !os.IsNotExist(err) {
		t.Errorf("the socket is left: %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, ErrClosed) {
		t.Errorf("Accept after Close gives %v", err)
	}
}

func TestNobody(t *testing.T) {
	h := testHome(t, "x")
	if _, err := Dial(t.Context(), h, me(t)); !errors.Is(err, ErrNobody) {
		t.Errorf("without a socket: %v", err)
	}
	// What a process leaves that was killed: a socket on which nobody listens.
	l := listen(t, h)
	left, err := net.ListenUnix("unix", &net.UnixAddr{Name: l.path + "x", Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	left.SetUnlinkOnClose(false)
	left.Close()
	other := me(t)
	other.Start += "x"
	if _, err := Dial(t.Context(), h, other); !errors.Is(err, ErrNobody) {
		t.Errorf("with a socket that was left: %v", err)
	}
	l.Close()
	again := listen(t, h)
	if _, err := os.Stat(again.path + "x"); !os.IsNotExist(err) {
		t.Errorf("the next to listen did not remove it: %v", err)
	}
}

// A process of another pid namespace has a number that means nothing here, and listens.
func TestASocketOnWhichSomebodyListensStays(t *testing.T) {
	h := testHome(t, "x")
	l := listen(t, h)
	elsewhere, err := net.ListenUnix("unix", &net.UnixAddr{Name: l.path + "x", Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer elsewhere.Close()
	l.Close()
	listen(t, h)
	if _, err := os.Stat(l.path + "x"); err != nil {
		t.Errorf("it was removed: %v", err)
	}
}

func TestAnotherProcessUnderTheSameNameIsRefused(t *testing.T) {
	h := testHome(t, "x")
	if err := os.MkdirAll(folder(h), 0o700); err != nil {
		t.Fatal(err)
	}
	other := process.Identity{PID: 1, Start: "1"}
	impostor, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(folder(h), name(other)), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer impostor.Close()
	if _, err := Dial(t.Context(), h, other); err == nil || !strings.Contains(err.Error(), "somebody else") {
		t.Errorf("an impostor's socket: %v", err)
	}
}

// nobodysID is a user who is not the one that runs the tests.
const nobodysID = 65534

// dialAsAnother connects with another user's id, as a program of its own, and says how it went.
func dialAsAnother() {
	if err := unix.Setuid(nobodysID); err != nil {
		_, _ = os.Stdout.WriteString("cannot be another: " + err.Error())
		return
	}
	conn, err := net.Dial("unix", os.Getenv("MURLUA_TEST_DIAL"))
	if err != nil {
		_, _ = os.Stdout.WriteString("no connection")
		return
	}
	text, _ := io.ReadAll(conn)
	_, _ = os.Stdout.WriteString("read " + string(text))
}

func TestAnotherUserIsRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		if strings.Contains(os.Getenv("MURLUA_REQUIRE"), "root") {
			t.Fatal("this has to run as root, to become another user")
		}
		t.Skip("only root can become another user")
	}
	// Open all doors, so that only the check is left.
	dir, err := os.MkdirTemp("", "attach")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	h, err := home.Resolve(dir)
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t, h)
	for path, mode := range map[string]os.FileMode{dir: 0o777, h.Path(): 0o777, folder(h): 0o777, l.path: 0o777} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(dir, "dial")
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, text, 0o755); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "secret")
			conn.Close()
		}
	}()
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), "MURLUA_TEST_DIAL="+l.path)
	out, err := cmd.Output()
	if err != nil || string(out) != "read " {
		t.Errorf("another user: %q, %v; want a connection that is closed at once", out, err)
	}
	l.Close()
}
