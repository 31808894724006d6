// Package child is one member's process from its start to the moment when nothing of it is left.
//
// Start with [Start] and a [Spec], and go on with [Child.Attend] in a goroutine. A [Child] reads what its process writes,
// notices its end, ends whatever it left behind, and tells both: [Child.Exited], then [Child.Reaped]. [Child.Stop] ends it
// in steps and says how far it had to go.
//
// With a keeper ([Spec.Keeper]) the process runs contained, so that processes that leave its process group are found
// and ended too, and the keeper ends everything should this program be killed. Without one, which is how it is where
// there are no keepers, the process group is all that is reached.
//
// A Child is safe for concurrent use. It owns the files that it is given and its goroutines, which all end before Reaped
// closes.
package child
