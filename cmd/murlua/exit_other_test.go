//go:build !unix

package main

import "os"

func exitCodeOf(state *os.ProcessState) int { return state.ExitCode() }
