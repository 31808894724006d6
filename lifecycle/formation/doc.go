// Package formation launches groups of processes that belong together: all of them or none.
//
// Start with [Plan], plain data that says who the members are, and [Launch], which starts the peers, returns when
// every one of them is ready, and otherwise has ended everything that it started before it returns a [*LaunchError].
// Then [Formation.StartEntry] starts the entry, if there is one, and [Formation.Wait] returns when the formation has
// ended. [Formation.Stop] ends it from any goroutine.
//
// # What a member is handed
//
// Every member gets a lifeline, a pipe whose only write end the launcher holds: it ends with the launcher, however
// that ends, and members wind down when it does. Lifelines are made for all members before the first is started. A
// capsule also gets a channel, on which it learns its name, the key by which it checks who calls, a token for each
// member that it may call, and later their addresses. Nothing of it is ever in an argument, a file or the environment.
//
// # Ownership
//
// A Formation owns its members' processes: each has one goroutine that waits for it, kills its process group when it has
// ended, and reads its output to the end. The formation ends on its own when its entry ends, whether or not anybody
// waits: all lifelines are closed, each member gets its grace, those that are left are killed, all are reaped. Launch
// with a context that ends abandons the launch; after that the context means nothing to the formation.
//
// # Events
//
// Everything that happens comes as one ordered stream of [Event]; see there for the order of a member's events.
// Nothing in this package looks again after a while: exits, lines, ends of files and answers wake it. Only a door that
// does not answer yet is asked again, after a millisecond first and every 100 ms at last.
package formation
