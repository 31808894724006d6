// Package artifact finds the artifacts that murmur installed, and the Lua that some of them carry.
//
// An artifact is one zip file, <store>/<scope>/<name>/<version>/<name>-<version>.mur.zip, with a murmur.yaml in it.
// [Stores] are the folders that `mur` looks into, [Find] opens the artifact of a name and version, and
// [Artifact.Main] says whether it is a capsule written in Lua: murmur packs whatever files a manifest asks for.
package artifact
