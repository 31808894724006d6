//go:build linux

package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// harnessName is what this test binary is called when murmur's capsules run it: it stands in for the program that would
// ask a model. The driver in testdata reads what it prints.
const harnessName = "line-harness"

// harness does one turn: `version`, or `new|resume SESSION LENGTH` with a task of that many bytes on standard input.
// Tasks are: echo TEXT; call MEMBER TEXT, which hands a task to a member of the formation; wait, until it is interrupted.
// A resumed session is told what became of its calls, and answers with that.
func harness(args []string) int {
	if len(args) == 1 && args[0] == "version" {
		fmt.Println("1")
		return 0
	}
	length, err := strconv.Atoi(args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(os.Stdin, text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("session", args[1])
	if args[0] == "resume" {
		end(unfenced(string(text)))
		return 0
	}
	verb, rest, _ := strings.Cut(strings.TrimSpace(unfenced(string(text))), " ")
	switch verb {
	case "echo":
		end("echo: " + rest)
	case "call":
		name, task, _ := strings.Cut(rest, " ")
		if answer, err := callMember(name, task); err != nil {
			fmt.Println("failed", err)
		} else {
			fmt.Println("note", strings.ReplaceAll(answer, "\n", " "))
			end("waiting for " + name)
		}
	case "wait":
		fmt.Println("text waiting")
		_, _ = io.ReadFull(os.Stdin, make([]byte, len("stop")))
		fmt.Println("stopped it was interrupted")
	default:
		fmt.Println("failed no task", verb)
	}
	return 0
}

func end(text string) {
	text = strings.Join(strings.Fields(text), " ")
	fmt.Println("text", text)
	fmt.Println("end", text)
}

// unfenced drops the lines between which murmur puts what comes from others.
func unfenced(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "<untrusted-content") && !strings.HasPrefix(line, "</untrusted-content") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// callMember uses the tool by which a capsule hands a task to a member, through the bridge that murmur opens for its
// harness.
func callMember(name, task string) (string, error) {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": "call-member", "arguments": map[string]string{"member": name, "task": task}},
	})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequest(http.MethodPost, os.Getenv("LINE_BRIDGE_URL"), bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("LINE_BRIDGE_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("the bridge answers %s: %s", answer.Status, text)
	}
	return string(text), err
}
