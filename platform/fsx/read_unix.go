//go:build unix

package fsx

import (
	"errors"

	"golang.org/x/sys/unix"
)

// readRegular uses plain system calls: a directory of 10,000 small files is read at the cost of them.
func readRegular(path string, limit int) ([]byte, Version, error) {
	fd, err := openNoFollow(path)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENXIO) {
		return nil, Version{}, ErrNotRegular
	}
	if err != nil {
		return nil, Version{}, err
	}
	defer func() { _ = unix.Close(fd) }()
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return nil, Version{}, err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, Version{}, ErrNotRegular
	}
	version := versionOf(&stat)
	if stat.Size > int64(limit) {
		return nil, version, ErrTooLarge
	}
	data, err := readAll(fd, int(stat.Size), limit)
	return data, version, err
}

func openNoFollow(path string) (int, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// readAll reads to the end, also when the file grows meanwhile.
func readAll(fd, size, limit int) ([]byte, error) {
	// One byte more than it should be, so that the end is seen without growing.
	data := make([]byte, 0, size+1)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := unix.Read(fd, data[len(data):cap(data)])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, err
		case n == 0:
			return data, nil
		}
		if data = data[:len(data)+n]; len(data) > limit {
			return nil, ErrTooLarge
		}
		// As much as the file said it has, and not one byte more: that was the end.
		if size > 0 && len(data) == size {
			return data, nil
		}
	}
}

func versionAt(path string) (Version, error) {
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		return Version{}, err
	}
	return versionOf(&stat), nil
}
