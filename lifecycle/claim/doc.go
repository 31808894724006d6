// Package claim gives names to formations: in one home directory a name belongs to one formation at a time.
//
// Start with [Take], which a launcher calls before it starts anything, and [Claim.Release], which it calls when nothing of
// the formation is left. [Holders] says which formation has which name.
//
// # On disk
//
// The file ~/.murmur/names/<name>, mode 0600 in a directory of mode 0700, is locked (flock, on Windows LockFileEx) by the
// process that has the name, and says in JSON who that is:
//
//	{"name":"dev","formation_id":"frm_…","pid":4711,"process_start":"123456","started_at":"2026-11-30T10:53:54Z","process_origin":{…}}
//
// The fields pid, process_start and process_origin are those of a running record, see [process.Identity]; started_at is when
// the name was taken, in RFC 3339 and UTC. The lock alone decides who has the name: the kernel lets go of it when its
// process ends, however it ends, and processes that it started do not inherit it. The text only tells others. A file that is
// left by a process that was killed is in nobody's way: whoever takes its name next replaces what it says, and
// whoever takes any name removes it.
package claim
