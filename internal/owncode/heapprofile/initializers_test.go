package heapprofile_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/userpkg"
)

// TestInitializers: package-level variables are in the files that declare them, which the profile does not tell. Of two
// on the same line, the call that is inlined there tells them apart, or else neither is explained.
func TestInitializers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/variables\n\ngo 1.24\n",
		"a.go": `package main

import (
	"os"
	"strings"
)

var size = func() int { return 200 }

var first = make([]byte, size())

var called = strings.Clone(os.Args[1])

var equal = make([]int, size())
`,
		"b.go": `package main

import "os"

var second = append(first, 1)

var names = os.Args

var _ = names

// This is on the line of a call of strings.Clone.
var more = other()

var equalToo = make([]int, size())
`,
		"main.go": `package main

import (
	"os"
	"runtime/pprof"
)

//go:noinline
func other() *int { return nil }

func main() {
	f, err := os.Create(os.Args[1])
	if err == nil {
		err = pprof.Lookup("allocs").WriteTo(f, 0)
	}
	if err != nil || len(first)+len(second)+len(equal)+len(equalToo)+len(called) == 0 || more != nil {
		panic(err)
	}
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := buildKnown(t, dir)
	t.Setenv("GODEBUG", "memprofilerate=1")
	file := filepath.Join(t.TempDir(), "allocs")
	run(t, "", program, file)
	p := open(t, file)
	r := explain(t, p, heapprofile.Options{Config: userpkg.Config{Dir: dir}, Binary: openBinary(t, program, p)})
	const unknown = "variables are initialized on this line of a.go and of b.go, and the profile does not say which"
	got := map[string]string{}
	for _, l := range r.Lines {
		if l.Func != "init" {
			continue
		}
		at := fmt.Sprintf("%s:%d", l.File, l.Line)
		if got[at] = l.Changed; (l.Why == "") != (l.Changed != "") {
			t.Errorf("%s: %q, %q", at, l.Why, l.Changed)
		}
	}
	want := map[string]string{"a.go:10": "", "a.go:12": "", "a.go:14": unknown, "b.go:5": ""}
	if _, ok := got["b.go:14"]; ok { // the file that the profile names
		delete(want, "a.go:14")
		want["b.go:14"] = unknown
	}
	if !maps.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
