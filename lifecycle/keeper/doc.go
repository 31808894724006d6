// Package keeper runs commands under a small process of our own, the keeper, so that whoever dies, nothing a
// command started is left running.
//
// Start with [New], then [Keeper.Start] for each command; a [Kept] is the running command. The program must call
// [Main] first thing in main: the keeper is the same binary, started again with a hidden argument.
//
// # One keeper for many commands
//
// One keeper process serves all commands of a host, however many formations and handles they belong to: a
// process for each command would cost about a megabyte and two milliseconds apiece. It is the parent of every
// command and a child subreaper, so whatever loses its parent comes back to it. It tells the commands'
// processes apart by a cgroup for each, where that can be had, and by a mark that each process inherits
// ([contain.Mark]). A sealed command has a keeper of its own, because there the keeper is the first process of a
// pid namespace.
//
// # Who ends what
//
//   - The host stops a command: [Kept.Stop] climbs the ladder and says which rung ended it.
//   - The host dies: the keeper's connection closes (the lifeline), and the keeper climbs the ladder for every
//     command, then exits when no descendant is left.
//   - The keeper dies: the commands' first processes are killed by the kernel (parent-death signal); what they
//     left is adopted by the host, which is a subreaper too, and ended.
//   - Both die at once: the kernel kills the commands' first processes; in the sealed class everything. In the
//     cgroup class the rest is ended by the next start on the machine, in the tracked class by the next start with the
//     same [Options.Marks].
//
// The ladder: ask (whatever the caller does), the stop signal to the command's process group and, once its
// first process has gone, to what escaped from the group; the grace; then everything at once, stopped before it
// is killed so that nothing forks its way out; then proof that nothing is left. A survivor (a process of another
// user) is named, never waited for.
//
// # Other systems
//
// All of that is Linux. Where there are no subreapers the commands are the host's own children: on macOS their process
// groups are guarded by a keeper for the case that the host is killed, on Windows each has a job object, which the
// system ends with the host. What a command leaves when it exits is killed at once there.
//
// # Ownership and concurrency
//
// All methods are safe for concurrent use. A Keeper owns its process; [Keeper.Close] ends everything and returns
// when it has gone. Start takes files by duplicate: the caller's own stay the caller's to close.
package keeper
