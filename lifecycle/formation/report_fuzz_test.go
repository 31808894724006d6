package formation

import (
	"strings"
	"testing"
	"unicode"
)

// Whatever a member prints first, it is either a report that names a session and a door or a refusal that can be shown.
func FuzzReadReport(f *testing.F) {
	const ours = "frm_0190a3b4c5d67e8f90a1b2c3d4e5f607"
	for _, line := range []string{
		`{"formation_id":"` + ours + `","session_id":"ses_0190a3b4c5d67e8f90a1b2c3d4e5f607","url":"localhost:4000","tokens":{"operator":"mdt1.a.b"}}`,
		`{"formation_id":"` + ours + `","session_id":"s","url":"http://http://localhost:1"}`,
		`{"formation_id":"` + ours + `","session_id":"s","url":""}`,
		`{"formation_id":"` + ours + `"}`,
		`{"formation_id":"frm_other\u001b[2J"}`, `{"formation_id":7}`, `[]`, `null`, `"text"`, `{`, "", "\x00", "hello",
		strings.Repeat("[", 10_001), "1" + strings.Repeat("0", 1000),
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		got, reason := readReport(line, ours)
		if reason == nil {
			if got.session == "" || !strings.HasPrefix(got.url, "http://") || strings.HasPrefix(got.url, "http://http://") {
				t.Errorf("%q was taken for a report: session %q, url %q", line, got.session, got.url)
			}
			return
		}
		if i := strings.IndexFunc(reason.String(), unicode.IsControl); i >= 0 || len(reason.String()) > 1000 {
			t.Errorf("%q is refused with %q", line, reason.String())
		}
	})
}
