package heapprofile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"
)

// TestCovering proves that a benchmark that calls a function is named for it, rather than one whose name is alike.
func TestCovering(t *testing.T) {
	const inside = `package store
import "testing"
func BenchmarkKeys(b *testing.B) { for b.Loop() { Keys() } }
func BenchmarkAll(b *testing.B) { b.Run("one", func(b *testing.B) { for b.Loop() { Key("a", "b") } }) }
func BenchmarkFind(b *testing.B) { for b.Loop() { lookup("a") } }
func BenchmarkServer(b *testing.B) { s := &Server{}; for b.Loop() { s.find("a") } }
func BenchmarkClient(b *testing.B) { c := &Client{}; for b.Loop() { c.find("a") } }
func BenchmarkHelped(b *testing.B) { run(b, 3) }
func BenchmarkMap(b *testing.B) { for b.Loop() { Each[int](nil) } }
func run(b *testing.B, n int) { for b.Loop() { again(n) } }
func again(n int) { Deep(n); run(nil, n) }
func BenchmarkNamed(b *testing.B) { key := 1; _ = key }
`
	const outside = `package store_test
import ("testing"; kv "example.com/store"; "example.com/other")
func BenchmarkOutside(b *testing.B) { for b.Loop() { kv.Open("a"); other.Close() } }
`
	var files []*ast.File
	for _, text := range []string{inside, outside} {
		file, err := parser.ParseFile(token.NewFileSet(), "x_test.go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	benchmarks := benchmarksIn(files, "example.com/store", "store")
	for _, test := range []struct{ function, want string }{
		{"Key", "BenchmarkAll"}, // and not BenchmarkKeys
		{"Key.func1", "BenchmarkAll"},
		{"(*Server).find", "BenchmarkServer"}, // and not BenchmarkFind
		{"(*Client).find-range1", "BenchmarkClient"},
		{"lookup", "BenchmarkFind"},
		{"Each[...]", "BenchmarkMap"},
		{"(*List[...]).Loop", "BenchmarkKeys"}, // a method of any type
		{"Deep", "BenchmarkHelped"},
		{"Open", "BenchmarkOutside"},
		{"Close", ""}, // another package's
		{"Name", "BenchmarkNamed"},
		{"key", "BenchmarkKeys"}, // a variable is not called
		{"none", ""},
	} {
		if got := covering(benchmarks, test.function); got != test.want {
			t.Errorf("%s: %q, want %q", test.function, got, test.want)
		}
	}
	if got := covering(benchmarks[:1], "none"); got != "BenchmarkKeys" {
		t.Errorf("the only benchmark: %q", got)
	}
	if got := covering(nil, "Key"); got != "" {
		t.Errorf("no benchmark: %q", got)
	}
}
