package credential

import (
	"crypto/subtle"
	"fmt"
	"io"
	"log/slog"
)

// redacted is all that a secret shows of itself.
const redacted = "[redacted]"

// Secret is a text that must not be seen by accident: a door token, a formation token.
//
// Every way of printing or encoding it gives "[redacted]", or nothing for the zero Secret; [Secret.Reveal] is the only way to
// read it. The text stands behind a pointer, so that fmt, which prints unexported fields without asking their
// methods, shows an address and not the text. The zero Secret holds none. Compare with [Secret.Equal], not ==.
type Secret struct {
	text *string
}

// NewSecret returns the secret that holds text; an empty text gives the zero Secret.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{text: &text}
}

// Reveal returns the text itself, "" for the zero Secret. Its callers are the places where a secret leaves:
// a request's Authorization header, an owner-only file, a private pipe, a user who asked for it by name.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.text == nil }

// Equal reports whether both hold the same text, in a time that does not tell where they differ.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String returns "[redacted]", or "" for the zero Secret.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return redacted
}

// GoString returns what String returns.
func (s Secret) GoString() string { return s.String() }

// Format writes what String returns, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText returns what String returns. To write the text into a file that may hold it, use Reveal.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue returns what String returns.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
