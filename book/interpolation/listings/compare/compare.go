// Package compare holds what the go command measured of the first two versions, ten times each, what benchstat and
// benchcmp make of it, and the stacks of the first version's profile. "go test -update" measures anew.
package compare
