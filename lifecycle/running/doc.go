// Package running reads and writes the map of what runs on this machine: one record per session, at
// ~/.murmur/running/<session id>.json, in the format that murmur shares.
//
// A record is a hint and never a truth: a process that was killed removes nothing. Three layers stand
// between a record and the claim that its session lives, and none is enough alone:
//
//  1. its pid is held by a process that has not exited;
//  2. that process started when the record says, in the place where the record counts;
//  3. its door answers, as this session. A record without a door has no such layer.
//
// [ProcessState] takes the first two and is cheap; [Verifier] takes all three. A record may be removed
// on the evidence of a [process.Gone] alone. Whatever could not be read is no evidence: such a record is
// kept, called unreachable, and its process is never signalled. [Prune] and [Signal] take the first two
// layers again themselves, so that no caller can be late with a verdict.
//
// [Scan] and [ListReporting] read the directory, [Write] adds to it and [Watch] follows it. Everything
// here is safe for concurrent use, also by several processes. Records hold tokens that drive a capsule:
// they are owner-only on disk and [credential.Secret] in memory.
package running
