package credential

import (
	"bytes"
	"crypto/ed25519"

	"murlua/lifecycle/id"
)

// AuthorityFromSeed returns an authority with a known key.
func AuthorityFromSeed(formation id.Formation, seed byte) *Authority {
	private := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
	return &Authority{formation: formation, private: private, public: private.Public().(ed25519.PublicKey)}
}

// DoorKeyFrom returns a door key with known bytes.
func DoorKeyFrom(fill byte) *DoorKey { return &DoorKey{key: bytes.Repeat([]byte{fill}, 32)} }
