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
	// This error is read by a person, and is made once, so its text is worth what it costs.
	return 0, fmt.Errorf("%s: %w", key, ErrUnset)
	// The cost: an error from number no longer says where it comes from, so it must not
	// leave this package without Number's text. A bool in place of it would make this clear. If
	// an error would carry values that the caller needs, number can return the values instead.
}

// number returns a setting of this layer.
func (l *Layer) number(key string) (int, error) {
	value, ok := l.Values[key]
	if !ok {
		// Changed: the error is the value that is there already. Number only asks whether it
		// is this one. The name of the layer and the key were put into interfaces, formatted
		// and wrapped, for each layer without the key, and nobody read the text.
		return 0, ErrUnset
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %q in %s", key, ErrSyntax, value, l.Name)
	}
	return n, nil
}
