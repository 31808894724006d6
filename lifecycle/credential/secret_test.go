package credential_test

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"murlua/lifecycle/credential"
)

const hidden = "mdt1.hidden.text"

// holder has a secret where fmt cannot call its methods.
type holder struct {
	Public  credential.Secret
	private credential.Secret
	nested  struct{ list []credential.Secret }
	byName  map[string]credential.Secret
}

func TestASecretShowsItselfNowhere(t *testing.T) {
	secret := credential.NewSecret(hidden)
	held := holder{Public: secret, private: secret, byName: map[string]credential.Secret{"operator": secret}}
	held.nested.list = []credential.Secret{secret}

	shown := map[string]string{}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%c", "%t", "%p"} {
		for name, value := range map[string]any{"value": secret, "pointer": &secret, "holder": held, "holder pointer": &held, "slice": held.nested.list} {
			shown[verb+" of "+name] = fmt.Sprintf(verb, value)
		}
	}
	shown["error"] = fmt.Errorf("cannot send %v: %s", secret, secret).Error()
	encoded, err := json.Marshal(map[string]any{"secret": secret, "holder": held, "pointer": &secret})
	if err != nil {
		t.Fatal(err)
	}
	shown["json"] = string(encoded)
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, nil))
	logger.Info("x", "secret", secret, "holder", held)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secret", secret, "holder", held)
	shown["log"] = log.String()
	var binary bytes.Buffer
	_ = gob.NewEncoder(&binary).Encode(secret)
	shown["gob"] = binary.String()

	hex := fmt.Sprintf("%x", hidden)
	for how, text := range shown {
		if strings.Contains(text, "hidden") || strings.Contains(strings.ToLower(text), hex) {
			t.Errorf("%s shows the secret: %s", how, text)
		}
	}
	if got := fmt.Sprintf("%v", secret); got != "[redacted]" {
		t.Errorf("%%v gives %q, want [redacted]", got)
	}
	if got := fmt.Sprintf("<%v>", credential.Secret{}); got != "<>" {
		t.Errorf("the zero Secret prints as %q, want <>", got)
	}
}

func TestASecretIsReadByRevealOnly(t *testing.T) {
	secret := credential.NewSecret(hidden)
	if secret.Reveal() != hidden || secret.IsZero() {
		t.Errorf("Reveal gives %q, IsZero %v", secret.Reveal(), secret.IsZero())
	}
	if zero := (credential.Secret{}); zero.Reveal() != "" || !zero.IsZero() || !credential.NewSecret("").IsZero() {
		t.Error("the zero Secret holds a text, or an empty text is a secret")
	}
	if !secret.Equal(credential.NewSecret(hidden)) || secret.Equal(credential.NewSecret(hidden+"x")) || secret.Equal(credential.Secret{}) {
		t.Error("Equal does not compare the texts")
	}
	if !cmp.Equal(secret, credential.NewSecret(hidden)) {
		t.Error("go-cmp does not find two secrets of the same text equal")
	}
}
