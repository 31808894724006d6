package credential_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"

	"murlua/lifecycle/credential"
)

func b64(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

func TestADoorTokenHasMurmursBytes(t *testing.T) {
	payload := b64(`{"credential":"watcher","scopes":["GetTask","murmur.WatchSession"]}`)
	mac := hmac.New(sha256.New, []byte(strings.Repeat("k", 32)))
	mac.Write([]byte("murmur-door-token-v1\x1f" + payload))
	want := "mdt1." + payload + "." + b64(string(mac.Sum(nil)))

	key := credential.DoorKeyFrom('k')
	if got := key.Mint("watcher", []string{"GetTask", "murmur.WatchSession"}).Reveal(); got != want {
		t.Fatalf("Mint gives\n%s, want\n%s", got, want)
	}
	grant, ok := key.Verify(want)
	if !ok || grant.Credential != "watcher" || grant.Member != "" || !grant.Allows("GetTask") || grant.Allows("SendMessage") {
		t.Errorf("Verify gives %+v, %v", grant, ok)
	}
}

func TestADoorTokenIsVerifiedByItsOwnKeyOnly(t *testing.T) {
	key := credential.NewDoorKey()
	good := key.Mint("operator", nil).Reveal()
	if _, ok := key.Verify(good); !ok {
		t.Fatal("a fresh token is not accepted")
	}
	segments := strings.Split(good, ".")
	for name, token := range map[string]string{
		"empty":             "",
		"another key's":     credential.NewDoorKey().Mint("operator", nil).Reveal(),
		"another tag":       "mft1." + segments[1] + "." + segments[2],
		"no mac":            segments[0] + "." + segments[1],
		"empty mac":         segments[0] + "." + segments[1] + ".",
		"cut mac":           good[:len(good)-4],
		"padded":            good + "=",
		"line end":          good + "\n",
		"four segments":     good + ".x",
		"other payload":     segments[0] + "." + b64(`{"credential":"operator","scopes":["x"]}`) + "." + segments[2],
		"far too long":      "mdt1." + strings.Repeat("A", 1<<20) + "." + segments[2],
		"other last letter": good[:len(good)-1] + otherSpelling(good[len(good)-1]),
	} {
		if _, ok := key.Verify(token); ok {
			t.Errorf("%s: accepted", name)
		}
	}
}

// otherSpelling changes the unused low bits of a segment's last letter, which a lenient decoder would ignore.
func otherSpelling(last byte) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return string(alphabet[strings.IndexByte(alphabet, last)^1])
}

func FuzzDoorTokenVerify(f *testing.F) {
	key := credential.DoorKeyFrom(1)
	f.Add(key.Mint("operator", []string{"GetTask"}).Reveal())
	f.Add(credential.DoorKeyFrom(2).Mint("operator", nil).Reveal())
	f.Add("mdt1..")
	f.Add("mdt1.e30.AAAA")
	f.Fuzz(func(t *testing.T, token string) {
		grant, ok := key.Verify(token)
		if ok && key.Mint(grant.Credential, []string{"GetTask"}).Reveal() != token && key.Mint(grant.Credential, nil).Reveal() != token {
			t.Errorf("a token that was not minted is accepted: %q", token)
		}
	})
}
