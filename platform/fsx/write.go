package fsx

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/uuid"
)

// PrivateFileMode is the mode of a file that only its owner may read.
const PrivateFileMode os.FileMode = 0o600

// WriteFileAtomic replaces the file path with data at the given mode. A reader sees the old content
// or the new one and never a part: data is staged beside path under [StagingName], synced, set to
// mode whatever the umask, and renamed over path. A symbolic link at path is replaced, not followed.
//
// On an error nothing is left behind and path is as it was. The directory itself is not synced: a
// power cut right afterwards may bring the old content back.
func WriteFileAtomic(path string, data []byte, mode os.FileMode) error {
	return write(path, data, mode, true)
}

// WriteFileVolatile is [WriteFileAtomic] for a file that means nothing after a power cut, such as one that names a
// process: it is not synced, which on a busy disk takes longer than all else, and a power cut may leave it empty.
func WriteFileVolatile(path string, data []byte, mode os.FileMode) error {
	return write(path, data, mode, false)
}

func write(path string, data []byte, mode os.FileMode, sync bool) (err error) {
	staged := filepath.Join(filepath.Dir(path), StagingName(filepath.Base(path)))
	// Exclusive: the name is ours alone, so anything already there was put there by somebody else.
	file, err := os.OpenFile(staged, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, Reason(err))
	}
	defer func() {
		if err != nil {
			_ = file.Close()
			_ = os.Remove(staged)
			err = fmt.Errorf("cannot write %s: %w", path, Reason(err))
		}
	}()
	if _, err = file.Write(data); err != nil {
		return err
	}
	if sync {
		if err = file.Sync(); err != nil {
			return err
		}
	}
	if err = file.Chmod(mode); err != nil {
		return err
	}
	if err = file.Close(); err != nil {
		return err
	}
	return os.Rename(staged, path)
}

// StagingName returns a fresh name under which the file called target is staged, in the form murmur
// gives such files: ".<target>.<pid>.<32 hex digits>.tmp". Readers that look for a last extension
// of ".json" pass over it.
func StagingName(target string) string {
	unique := uuid.Must(uuid.NewV7())
	return fmt.Sprintf(".%s.%d.%s.tmp", target, os.Getpid(), hex.EncodeToString(unique[:]))
}
