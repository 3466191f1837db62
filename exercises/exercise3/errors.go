package settings

import "errors"

// The errors of Number.
var (
	ErrUnset  = errors.New("not set")
	ErrSyntax = errors.New("not a number")
)
