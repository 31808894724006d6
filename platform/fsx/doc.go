// Package fsx holds what files of this system need beyond the standard library: directories and
// files that belong to their owner alone, writes that a reader sees whole or not at all, and
// advisory locks.
//
// Start with [EnsurePrivateDir] and [WriteFileAtomic]. Everything here is safe for concurrent use,
// also by several processes. Nothing here examines who owns a directory; symbolic links on the way
// to a path are followed, as murmur follows them.
package fsx
