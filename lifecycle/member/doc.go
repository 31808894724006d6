// Package member is the inside of a capsule's process: who started it, whom it may call, its door and record, and
// how it ends.
//
// [Start] does what has to be done before anything else: it takes over the descriptors that the environment names and reads who
// the process is, in murmur's order and with murmur's refusals. [Session.Run] then opens the door, writes the running
// record, prints the readiness line, answers tasks until the session ends, and tidies up. What it returns is the exit
// status of the process.
//
// A session ends when its formation's or its spawner's lifeline ends, on SIGTERM, when its door is told to stop, or
// after its one task if it was started for one. Running tasks then have their context cancelled. Whatever they do, the
// process exits 143 at most 20 s after it was told to end, and at once on a second SIGTERM.
package member
