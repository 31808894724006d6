package door

// LookWithin is Look with another bound on the whole probe.
var LookWithin = look

// ReplyLimit is the size of the largest reply that a probe reads.
const ReplyLimit = maxReply
