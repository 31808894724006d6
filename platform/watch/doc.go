// Package watch reports changes of files and folders as the system notices them; nothing is polled.
//
// [Open] starts a watch, [Watcher.Next] waits for a change. Changes of one path that nobody has taken yet
// are merged into their net effect: a file that was made and removed meanwhile is not reported. A file that
// a writer replaces by renaming another over it is reported as created.
//
// A [Watcher] owns one descriptor and one goroutine until [Watcher.Close]. It is safe for concurrent use.
//
// Linux has inotify. Elsewhere Open fails with [ErrUnsupported].
package watch
