// The task: checkalloc task exercise3

// Package settings finds the settings of a program.
package settings

import (
	"errors"
	"fmt"
	"strconv"
)

// A Layer has the settings of one place, such as a file of
// the user or the defaults of the program.
type Layer struct {
	Name   string
	Values map[string]string // by key
}

// Number returns a setting, as strconv.Atoi reads it. If
// several layers have the key, the first of them counts.
// There may be any number of layers.
//
// If no layer has the key, the error wraps ErrUnset. If the
// layer that counts has no number there, it wraps ErrSyntax.
// Its text is
//
//	idle: not set
//
// or, for the value "soon" in the layer of the team,
//
//	idle: not a number: "soon" in team
func Number(layers []Layer, key string) (int, error) {
	for i := range layers {
		n, err := layers[i].number(key)
		if !errors.Is(err, ErrUnset) {
			return n, err
		}
	}
	return 0, fmt.Errorf("%s: %w", key, ErrUnset)
}

// number returns a setting of this layer.
func (l *Layer) number(key string) (int, error) {
	value, ok := l.Values[key]
	if !ok {
		return 0, fmt.Errorf("%s: %w in %s", key, ErrUnset, l.Name)
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %q in %s", key, ErrSyntax, value, l.Name)
	}
	return n, nil
}
