// Package scenario runs files of Lua tests and says how they went.
//
// [Run] is the runner: each file gets a host of its own, the tests of one file run one after another, and
// several files at the same time when asked. What happens is one stream of [Event]s in which the events of a
// file stand together, in the order of the files, whatever ran beside what. A [Reporter] turns the stream into
// text: [NewPeople], [NewTAP], [NewJUnit] and [NewJSON].
//
// The package knows nothing of processes. What a test may leave behind, and how to end it, comes from the
// [Surroundings] that the caller gives each file.
package scenario
