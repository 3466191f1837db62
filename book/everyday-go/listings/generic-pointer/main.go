// Command generic-pointer calls a method with a pointer receiver on a value of a type parameter.
package main

import (
	"fmt"
	"strconv"
	"testing"
)

type lux struct{ value int }

func (l *lux) Set(text string) (err error) {
	l.value, err = strconv.Atoi(text)
	return err
}

// ANCHOR: generic
type setter[T any] interface {
	*T
	Set(text string) error
}

func parse[T any, P setter[T]](text string) (v T, err error) {
	err = P(&v).Set(text)
	return v, err
}

// ANCHOR_END: generic

// ANCHOR: into
func parseInto[P interface{ Set(text string) error }](v P, text string) error {
	return v.Set(text)
}

// ANCHOR_END: into

// ANCHOR: function
func parseWith[T any](text string, parse func(string) (T, error)) (T, error) {
	return parse(text)
}

func newLux(text string) (l lux, err error) {
	l.value, err = strconv.Atoi(text)
	return l, err
}

// ANCHOR_END: function

var (
	text = "1200"
	hall lux
)

func main() {
	fmt.Println("generic: ", testing.AllocsPerRun(1000, func() { hall, _ = parse[lux](text) }), "allocs")
	fmt.Println("into:    ", testing.AllocsPerRun(1000, func() { parseInto(&hall, text) }), "allocs")
	fmt.Println("function:", testing.AllocsPerRun(1000, func() { hall, _ = parseWith(text, newLux) }), "allocs")
}
