//go:build unix

package lifeline_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"murlua/lifecycle/lifeline"
)

// holderEnv makes the test binary a process that holds the lifeline in its environment and says what happens to it.
const holderEnv = "LIFELINE_TEST_HOLDER"

func TestMain(m *testing.M) {
	if os.Getenv(holderEnv) != "" {
		hold()
		return
	}
	goleak.VerifyTestMain(m)
}

func hold() {
	var claims lifeline.Claims
	held, err := claims.Take(lifeline.Formation, os.Getenv(lifeline.Formation))
	if err != nil {
		fmt.Println("refused:", err)
		return
	}
	fmt.Println("held")
	<-held.Ended()
	fmt.Println("ended", held.Err())
}

// child starts a holder with the line's read end as descriptor 3.
func child(t *testing.T, line *lifeline.Line) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holderEnv+"=1", lifeline.Formation+"=3")
	cmd.ExtraFiles = []*os.File{line.Reader()}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line.Spawned()
	lines := bufio.NewScanner(out)
	expect(t, lines, "held")
	return cmd, lines
}

func expect(t *testing.T, lines *bufio.Scanner, want string) {
	t.Helper()
	if !lines.Scan() || lines.Text() != want {
		t.Fatalf("the holder said %q, want %q", lines.Text(), want)
	}
}

func TestAHolderIsToldWhenItsLineIsClosedAndNoOther(t *testing.T) {
	var lines [2]*lifeline.Line
	for i := range lines {
		line, err := lifeline.New()
		if err != nil {
			t.Fatal(err)
		}
		defer line.Close()
		lines[i] = line
	}
	first, firstOut := child(t, lines[0])
	second, secondOut := child(t, lines[1])

	lines[0].Close()
	expect(t, firstOut, "ended <nil>")
	if err := first.Wait(); err != nil {
		t.Fatal(err)
	}
	// The second holder was started while the first line was open. Had it got a copy of that line's write end, the
	// first would not have ended; and its own line is still open.
	lines[1].Close()
	expect(t, secondOut, "ended <nil>")
	if err := second.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestTakeRefusesWhatIsNotTheReadEndOfAPipe(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	defer writer.Close()
	regular, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer regular.Close()
	directory, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer directory.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	socket, err := listener.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	both, err := os.OpenFile(fifo, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	fd := func(file *os.File) string { return strconv.Itoa(int(file.Fd())) }

	for _, test := range []struct{ name, value, want string }{
		{"a word", "seven", "not a decimal descriptor number"},
		{"a negative number", "-1", "not a decimal descriptor number"},
		{"a sign", "+7", "not a decimal descriptor number"},
		{"hexadecimal", "0x7", "not a decimal descriptor number"},
		{"two numbers", "7 8", "not a decimal descriptor number"},
		{"beyond an int", "99999999999999999999", "out of range"},
		{"beyond a descriptor", "2147483648", "out of range"},
		{"standard input", "0", "standard stream"},
		{"standard error", "2", "standard stream"},
		{"nothing open", "1048576", "is not open"},
		{"a character device", fd(null), "a character device"},
		{"a regular file", fd(regular), "a regular file"},
		{"a directory", fd(directory), "a directory"},
		{"a socket", fd(socket), "a socket"},
		{"a write end", fd(writer), "open for writing"},
		{"both ends of a fifo", fd(both), "open for writing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var claims lifeline.Claims
			held, err := claims.Take(lifeline.Formation, test.value)
			if held != nil || err == nil {
				t.Fatalf("%q was accepted", test.value)
			}
			for _, part := range []string{test.want, lifeline.Formation} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the refusal %q does not contain %q", err, part)
				}
			}
			if _, err := claims.Take(lifeline.Formation, fd(reader)); err == nil || !strings.Contains(err.Error(), "already read") {
				t.Errorf("a second take gave %v, want: already read", err)
			}
		})
	}
}

func TestABlankValueIsNoLifelineAndUsesNothingUp(t *testing.T) {
	line, err := lifeline.New()
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	var claims lifeline.Claims
	for _, value := range []string{"", "  ", "\t\n"} {
		if held, err := claims.Take(lifeline.Spawner, value); held != nil || err != nil {
			t.Fatalf("Take(%q) = %v, %v", value, held, err)
		}
	}
	// The copy that the holder owns, as a child's is its own.
	fd, err := unix.Dup(int(line.Reader().Fd()))
	if err != nil {
		t.Fatal(err)
	}
	held, err := claims.Take(lifeline.Spawner, fmt.Sprintf(" %d\n", fd))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("the held descriptor is not close-on-exec (%v)", err)
	}
	select {
	case <-held.Ended():
		t.Fatal("it ended while its creator holds it")
	default:
	}
	line.Close()
	<-held.Ended()
}

func TestAnEndBeforeAnybodyWatchesIsToldAtOnce(t *testing.T) {
	line, err := lifeline.New()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(line.Reader().Fd()))
	if err != nil {
		t.Fatal(err)
	}
	line.Close()
	var claims lifeline.Claims
	held, err := claims.Take(lifeline.Formation, strconv.Itoa(fd))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	<-held.Ended()
	if held.Err() != nil {
		t.Errorf("an ordinary end gave %v", held.Err())
	}
}

func TestBytesOnALineEndNothing(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(int(reader.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	var claims lifeline.Claims
	held, err := claims.Take(lifeline.Formation, strconv.Itoa(fd))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Write(make([]byte, 10_000)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-held.Ended():
		t.Fatal("bytes ended the line")
	case <-time.After(50 * time.Millisecond):
	}
	writer.Close()
	<-held.Ended()
	held.Close()
}

func TestClosingAHeldLineIsNotItsEnd(t *testing.T) {
	line, err := lifeline.New()
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	fd, err := unix.Dup(int(line.Reader().Fd()))
	if err != nil {
		t.Fatal(err)
	}
	var claims lifeline.Claims
	held, err := claims.Take(lifeline.Formation, strconv.Itoa(fd))
	if err != nil {
		t.Fatal(err)
	}
	held.Close()
	held.Close()
	select {
	case <-held.Ended():
		t.Error("closing counted as the end")
	default:
	}
}

func TestLinesAreMadeCloseOnExec(t *testing.T) {
	line, err := lifeline.New()
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	if fd := line.Reader().Fd(); fd < 3 {
		t.Errorf("the read end is descriptor %d", fd)
	}
	if flags, err := unix.FcntlInt(line.Reader().Fd(), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("the read end would reach every child (%v)", err)
	}
}
