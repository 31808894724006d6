// Murlua is a scriptable host for formations of processes.
//
// This package is the command: it reads the arguments, hands the outside world (arguments, environment,
// standard streams, working directory, signals) to the packages below in one struct, prints what they say and
// maps errors to exit codes. Everything else is done by package bindings and what it joins. Each subcommand
// has a file of its own, and its help page is the file of the same name in the folder help.
package main
