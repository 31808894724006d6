// Package check reads scripts without running them and reports what would fail, or do nothing: what does not compile,
// globals that nothing assigns, functions, fields and methods that are not there or not called, arguments, options and
// results of policies that are not what they may be, and plans whose members do not fit together, also those that a
// recipe returns. What there is, and of which type, is read from the stubs.
//
// Start with [Script]. The package only reports what it is sure of: a variable that is assigned twice, or a value that
// comes from anywhere but a module, or is not written out, is not followed.
package check
