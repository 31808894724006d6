package output

import (
	"errors"
	"io/fs"
	"os"
)

// isOldest reports whether there is none before the file that is being read. It would have the next number, or, while the
// files are being renamed, the one after that.
func (f *follower) isOldest() (bool, error) {
	n, err := f.place()
	if err != nil {
		return false, err
	}
	for before := n + 1; before <= n+2; before++ {
		if _, err := os.Stat((&File{path: f.path}).numbered(before)); err == nil {
			return false, nil
		}
	}
	again, err := f.place()
	return again == n, err
}

// open opens the n-th newest file; 0 is the current one.
func (f *follower) open(n int) (*os.File, error) { return os.Open((&File{path: f.path}).numbered(n)) }

// openComing opens the n-th newest file; while the files are being renamed it may still have the number below.
func (f *follower) openComing(n int) (*os.File, error) {
	file, err := f.open(n)
	if n == 0 || !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	below, belowErr := f.open(n - 1)
	file, err = f.open(n)
	if errors.Is(err, fs.ErrNotExist) {
		return below, belowErr
	}
	if below != nil { // that may be the next one by now
		below.Close()
	}
	return file, err
}

// oldest is the highest number that a file put aside has; 0 when there is none. One number may be missing while the
// files are being renamed.
func oldest(path string) (highest int) {
	for n := 1; n <= highest+2; n++ {
		if _, err := os.Stat((&File{path: path}).numbered(n)); err == nil {
			highest = n
		}
	}
	return highest
}

// place finds the file that is being read among those that there are: 0 is the current one. One that is no longer
// kept counts as the one before the oldest.
func (f *follower) place() (int, error) {
	mine, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	for {
		before, _ := os.Stat(f.path)
		n, found, err := f.find(mine)
		if err != nil || found {
			return n, err
		}
		after, _ := os.Stat(f.path)
		if before == nil && after == nil || before != nil && after != nil && os.SameFile(before, after) {
			return n, nil // else files were put aside meanwhile, and this one, too, may have got another number
		}
	}
}

// find looks for a file among those that there are. A number may be missing while the files are being renamed, the oldest
// first; two in a row are the end, and n is the first of them.
func (f *follower) find(mine os.FileInfo) (n int, found bool, err error) {
	missing := false
	for n := 0; ; n++ {
		there, err := os.Stat((&File{path: f.path}).numbered(n))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if missing && n > 1 {
				return n - 1, false, nil
			}
			missing = n > 0
			continue
		case err != nil && n > 0:
			return 0, false, err
		case err == nil && os.SameFile(mine, there):
			return n, true, nil
		}
		missing = false
	}
}
