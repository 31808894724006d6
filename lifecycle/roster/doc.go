// Package roster reads roster.yaml, the file in which a murmur project lists the members of its formation, and admits it: every
// member is found in the artifact stores, bound to the digest of its artifact, and told whom it may call.
//
// [Admit] does all of it; [Parse] reads the file's shape alone. Admission starts nothing and writes nothing. It is strict, since a
// roster says who may call whom: an unknown key anywhere is a refusal, and so is everything that murmur refuses, in murmur's order and
// with murmur's codes. The first thing that is wrong is reported, see [Refusal].
//
// A capsule is named "scope/name", as murmur names them since 0.8, or by its bare name as before; each has its place in a store.
package roster
