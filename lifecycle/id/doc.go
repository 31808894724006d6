// Package id mints and checks the names of sessions and formations: "ses_" or "frm_" and 32
// lower-case hex digits.
//
// The digits are a UUID of version 7: its first 12 are the time of minting in Unix milliseconds, so
// that the bytewise order of ids is the order in which they were minted, also within one millisecond
// of one process. A checked id is safe as part of a path.
package id
