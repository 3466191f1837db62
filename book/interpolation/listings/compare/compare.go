// Package compare holds what the go command measured of the first two versions, ten times each, and what benchstat makes of
// it. "go test -update" measures anew.
package compare
