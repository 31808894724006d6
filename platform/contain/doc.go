// Package contain holds what a platform offers to keep a command's processes together, so that ending the
// command ends everything it started.
//
// Start with [Probe], which says which classes can be had here and why the others cannot, and
// [Report.Choose], which picks the best or refuses what was demanded. lifecycle/keeper puts the classes to
// use; this package owns no process and starts none.
//
// # Classes
//
//   - [Group]: the command leads a process group and the group is signalled. A process that leaves the group
//     (setsid, a daemon) is out of reach.
//   - [Tracked]: the command lives under a keeper that is a child subreaper, so orphans come back to the keeper
//     instead of to init, and each carries a [Mark] that says which command it belongs to. Linux 3.4.
//   - [Cgroup]: as tracked, and the command is born inside a cgroup of its own, which the kernel kills as one.
//     Linux 5.14, with a cgroup2 directory that this user may write to.
//   - [Sealed]: the keeper is the first process of a pid namespace; when it ends, however it ends, the kernel
//     ends everything inside. Linux 3.8, as root or with user namespaces.
//   - [Job]: a Windows job object that is killed when its last handle closes.
//
// Containment is for programs that misbehave by accident. It is not a security boundary: a process with the
// same user can move itself to another cgroup, or change its mark.
//
// # Concurrency
//
// Functions are safe for concurrent use. A [Base] or [Leaf] belongs to one owner at a time.
package contain
