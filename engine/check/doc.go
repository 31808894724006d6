// Package check reads scripts without running them and reports what would fail: what does not compile, globals that
// nothing assigns, functions and fields that a module or a library does not have, methods that a handle does not have,
// options that a function does not take, and plans whose members do not fit together, also those that a recipe returns.
// What modules have is read from the stubs.
//
// Start with [Script]. The package only reports what it is sure of: a variable that is assigned twice, or a value that
// comes from anywhere but a module, is not followed.
package check
