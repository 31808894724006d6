// Package handle holds the long-running processes that one run owns beyond the call that started them: a
// development server, a log tail, a long build.
//
// A [Registry] is made by [New] for one run; [Registry.Start] starts a line of one or more stages and gives a
// [Handle]. Every process goes through a keeper, so that what a handle started is ended with it, and with the run,
// however that ends: by [Registry.Close], or by the keeper when the run's process is killed.
//
// # Rules
//
//   - At most [Options.Cap] handles live at once. A start over that is refused before anything runs, never queued.
//   - Output (both streams) goes straight to a capture file, so a handle that nobody polls costs no memory, and
//     nothing a process wrote is lost. The file is private, lies outside any workspace and is removed with the
//     registry.
//   - [Handle.Poll] reads from a byte cursor, at most 16 KiB: the newest, with the size of the gap.
//   - A handle's state is running, exited, killed or orphaned; all but running are final. Signals go to running
//     handles only.
//   - A handle that an earlier process of the run recorded is an orphan: it is listed and never signalled, and
//     its id is never given again. Where the system proves beyond doubt which process it was, and only there,
//     [Registry.Readopt] takes it back on request.
//
// # Concurrency
//
// Everything is safe for concurrent use. A registry owns its handles' processes, goroutines and files.
package handle
