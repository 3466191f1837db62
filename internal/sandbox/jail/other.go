//go:build !linux || !(amd64 || arm64)

package jail

import (
	"context"
	"errors"
	"io"
)

var errPlatform = errors.New("programs are confined on Linux only, on amd64 and arm64")

// Main does nothing on this platform.
func Main() {}

// Probe returns an error on this platform.
func Probe() error { return errPlatform }

// A Program is a binary that runs in a jail on other platforms.
type Program struct{}

// Load returns an error on this platform.
func Load(io.Reader, int64) (*Program, error) { return nil, errPlatform }

// Close does nothing.
func (*Program) Close() error { return nil }

// Run returns an error on this platform.
func (*Command) Run(context.Context) (*State, error) { return nil, errPlatform }
