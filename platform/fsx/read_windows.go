package fsx

import (
	"io"
	"os"
)

func readRegular(path string, limit int) ([]byte, Version, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, Version{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, Version{}, ErrNotRegular
	}
	version := versionOf(info)
	file, err := os.Open(path)
	if err != nil {
		return nil, version, err
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err == nil && len(data) > limit {
		err = ErrTooLarge
	}
	return data, version, err
}

func versionOf(info os.FileInfo) Version {
	return Version{size: uint64(info.Size()), modified: info.ModTime().UnixNano()}
}

func versionAt(path string) (Version, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Version{}, err
	}
	return versionOf(info), nil
}
