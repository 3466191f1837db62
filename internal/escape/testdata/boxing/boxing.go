// Package boxing stores values in interfaces.
package boxing

import (
	"errors"
	"fmt"
)

type point struct{ x, y int }

func (p point) String() string { return "point" }

func (p *point) move() *point { return p }

type kind int

var sink any

func print(n int, p point) { fmt.Println(n, "a constant", kind(3), p, point{1, 2}) }

func sum(a, b string, n int) (any, any, error) {
	return a + b, n + 1, errors.New("moved to heap: x")
}

func values(p point) (fmt.Stringer, func() *point, func() string) { return p, p.move, p.String }

func literals(p *int) []any {
	sink = []*int{p}
	sink = [1]*int{p}
	sink = map[*int]*int{p: p}
	sink = struct{ p *int }{p}
	sink = struct{}{}
	return []any{1, "x", 3.5, -2, true, 2i, 'r', nil}
}

func test(v any) *int {
	switch x := v.(type) {
	case *int:
		return x
	case []*int:
		return x[0]
	}
	p, _ := v.(*int)
	return p
}

func known() string {
	var s fmt.Stringer = point{}
	return s.String()
}

func stop(n int) { panic(n) }
