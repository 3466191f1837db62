//go:build !unix

package api

// lockData locks nothing: the standard library can lock files only on Unix.
func lockData() (unlock func()) { return func() {} }
