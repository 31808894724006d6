// Package stop ends sessions and formations that some other process started, as `mur stop` does it.
//
// [Session] asks the session through its door, waits until its tasks are over, and then signals its process: SIGTERM,
// and SIGKILL after a grace. [Formation] signals nobody but the formation's launcher, whose end closes every lifeline;
// members that were started by hand hold none and are stopped as sessions.
//
// No signal goes to a process whose start was not verified, and every wait is for the exit of a process that is held,
// with a bound.
package stop
