// Package home knows where murmur and this program keep their files: one directory, ".murmur", in
// the user's home, that only its owner may enter.
//
// [Resolve] turns the value of HOME into a [Home]. Methods that name a path create nothing; those
// that begin with Ensure make the directory and hold it at its mode. Errors are
// "<path>: <reason>".
package home
