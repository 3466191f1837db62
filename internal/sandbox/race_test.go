//go:build race

package sandbox

func init() { underRace = true }
