package command

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/owncode/heapprofile"
)

// textProfile returns a heap profile as debug=1 writes it, in which each line "function file:line" allocates 1000 objects
// of 32 bytes.
func textProfile(lines ...string) string {
	n := len(lines)
	text := fmt.Sprintf("heap profile: 0: 0 [%d: %d] @ heap/2\n", 1000*n, 32000*n)
	for i, line := range lines {
		function, place, _ := strings.Cut(line, " ")
		text += fmt.Sprintf("0: 0 [1000: 32000] @ %#x\n#\t%#x\t%s+0x10\t/src/%s\n\n", 0x1001+16*i, 0x1000+16*i, function, place)
	}
	return text + "# runtime.MemStats\n# Alloc = 32\n"
}

// TestMCPProfile explains heap profiles, and refuses what is none, is outside of the root, or is no file.
func TestMCPProfile(t *testing.T) {
	files := shop + "-- allocs --\n" + textProfile("example.com/shop/label.Labels label/label.go:8",
		"example.com/shop.Keep alone.go:5", "net/http.Get http/client.go:9") +
		"-- leaks --\n" + textProfile("example.com/shop/linked.F linked/linked.go:3") +
		"-- empty --\n-- ../outside/allocs --\n" + textProfile("example.com/shop.Keep alone.go:5")
	c := newAssistant(t, files, nil)
	var r shortProfile
	text, failed := c.call("profile", arguments{"profile": "allocs", "per": "requests=500", "top": 1}, &r)
	if failed || r.Schema != heapprofile.Schema || len(r.Lines) != 1 || r.LeftOut["lines"] != 1 || r.Objects != 6 ||
		r.Per.Unit != "requests" || r.Rate != 1 || len(r.Outside) != 1 {
		t.Errorf("%+v\n%s", r, text)
	}
	if l := r.Lines[0]; l.Objects != 2 || l.Bytes != 64 || l.Why == "" {
		t.Errorf("%+v", l)
	}
	c.await("profile compiling the packages of the profile")
	if want := "2 allocs, 64 B per request"; !strings.Contains(text, want) {
		t.Errorf("the text lacks %q:\n%s", want, text)
	}
	r = shortProfile{}
	text, failed = c.call("profile", arguments{"profile": filepath.Join(c.root, "allocs")}, &r)
	if failed || len(r.Lines) != 2 || !strings.Contains(text, "the array that append grows moves to the heap") ||
		!strings.Contains(text, "all = append(all,") {
		t.Errorf("%+v\n%s", r, text)
	}
	// A line of a file that a link leads to is not shown.
	r = shortProfile{}
	text, failed = c.call("profile", arguments{"profile": "leaks"}, &r)
	if failed || len(r.Lines) != 0 || r.LeftOut["lines"] != 1 || strings.Contains(text, "Secret") {
		t.Errorf("%+v\n%s", r, text)
	}

	const outside = "is outside of the folder that this server reads"
	for _, m := range []struct {
		arguments
		want string
	}{
		{arguments{}, "profile"},
		{arguments{"profile": ""}, "name the file of a heap profile"},
		{arguments{"profile": "http://localhost:6060/debug/pprof/allocs"}, "is an address, and this server fetches none"},
		{arguments{"profile": "allocs", "binary": "https://example.com/service"}, "is an address"},
		{arguments{"profile": "-"}, "there is no such file"},
		{arguments{"profile": "../outside/allocs"}, outside},
		{arguments{"profile": "out/allocs"}, outside},
		{arguments{"profile": "allocs", "binary": "/bin/sh"}, outside},
		{arguments{"profile": "label"}, "label is not a regular file"},
		{arguments{"profile": "gone"}, "there is no such file"},
		{arguments{"profile": "empty"}, "empty is empty: fetch /debug/pprof/allocs"},
		{arguments{"profile": "alone.go"}, "alone.go is a Go file, not a heap profile"},
		{arguments{"profile": "allocs", "binary": "alone.go"}, "alone.go is not a program that Go has built"},
		{arguments{"profile": "allocs", "per": "requests"}, "give a unit and a number"},
		{arguments{"profile": "allocs", "labels": map[string]string{"endpoint": "/find"}}, "has no samples with endpoint=/find"},
		{arguments{"profile": "allocs", "base": "allocs"}, "base"},
	} {
		if text, failed := c.call("profile", m.arguments, nil); !failed || !strings.Contains(text, m.want) {
			t.Errorf("%v: error %v, want %q in\n%s", m.arguments, failed, m.want, text)
		}
	}
	r = shortProfile{}
	text, failed = c.call("profile", arguments{"profile": "allocs", "in_use": true}, &r)
	if failed || r.Measure != "in use" || len(r.Lines) != 0 {
		t.Errorf("in use: error %v, %+v\n%s", failed, r.Lines, text)
	}
}

// TestMCPProfileExercise refuses a profile of an exercise.
func TestMCPProfileExercise(t *testing.T) {
	c := newAssistant(t, "-- go.mod --\nmodule onthestack\n\ngo 1.26.0\n-- exercises/exercise6/stream.go --\npackage stream\n\n"+
		"var Kept *int\n\nfunc Keep(n int) { Kept = &n }\n-- allocs --\n"+
		textProfile("onthestack/exercises/exercise6.Keep exercise6/stream.go:5"), nil)
	if text, failed := c.call("profile", arguments{"profile": "allocs"}, nil); !failed ||
		!strings.Contains(text, "call check_exercise") {
		t.Errorf("error %v\n%s", failed, text)
	}
}

// TestProofMCPProfile explains the profile of a program that is built and run, with the program and the commit from which
// it was built.
func TestProofMCPProfile(t *testing.T) {
	newRepository(t) // for its environment
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	c := newAssistant(t, service, func(s *toolServer) {
		r := repository{t, s.root}
		r.Git("init", "-q", "-b", "main")
		r.Commit("one")
		for _, args := range [][]string{{"go", "build", "-buildvcs=true", "-o", "service", "."}, {"./service"}} {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = s.root
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
		}
		r.Write("main.go", "package main\n\nfunc main() {}\n")
	})
	var r shortProfile
	text, failed := c.call("profile", arguments{"profile": "allocs", "binary": "service", "per": "requests=1000"}, &r)
	if failed || len(r.Lines) == 0 || r.Revision == "" || !strings.Contains(text, `return region + "/" + id`) ||
		!strings.Contains(text, "1 alloc, 32 B per request") || !strings.Contains(text, "The sources are from") {
		t.Errorf("%+v\n%s", r, text)
	}
	noneLeft(t)
}

// service is a program that writes its heap profile.
const service = `
-- .gitignore --
allocs
service
-- go.mod --
module example.com/svc

go 1.24
-- main.go --
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
)

var kept string

func main() {
	runtime.MemProfileRate = 1
	for range 1000 {
		kept = key("europe", "0123456789012345678")
	}
	f, err := os.Create("allocs")
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := pprof.Lookup("allocs").WriteTo(f, 0); err != nil {
		panic(err)
	}
}

//go:noinline
func key(region, id string) string {
	return region + "/" + id
}
`
