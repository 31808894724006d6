package fsx

import "golang.org/x/sys/unix"

func versionOf(stat *unix.Stat_t) Version {
	return Version{uint64(stat.Dev), stat.Ino, uint64(stat.Size), stat.Mtim.Nano(), stat.Ctim.Nano()}
}
