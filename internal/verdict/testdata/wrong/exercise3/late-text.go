// The text of an error is made when it is asked for, from a layer that may have changed by then.
package settings

import (
	"errors"
	"fmt"
	"strconv"
)

type Layer struct {
	Name   string
	Values map[string]string
}

type syntaxError struct {
	layer *Layer
	key   string
}

func (e *syntaxError) Error() string {
	return fmt.Sprintf("%s: %v: %q in %s", e.key, ErrSyntax, e.layer.Values[e.key], e.layer.Name)
}

func (e *syntaxError) Unwrap() error { return ErrSyntax }

func Number(layers []Layer, key string) (int, error) {
	for i := range layers {
		n, err := layers[i].number(key)
		if !errors.Is(err, ErrUnset) {
			return n, err
		}
	}
	return 0, fmt.Errorf("%s: %w", key, ErrUnset)
}

func (l *Layer) number(key string) (int, error) {
	value, ok := l.Values[key]
	if !ok {
		return 0, ErrUnset
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return 0, &syntaxError{l, key}
	}
	return n, nil
}
