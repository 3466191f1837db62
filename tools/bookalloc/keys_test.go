package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/gocommand"
	"onthestack/internal/resultcache"
	"onthestack/tools/bookalloc/measure"
)

// repository is the root of this repository.
var repository = filepath.Join("..", "..")

// TestKeys proves that the results and the targets that are computed again after a change depend on the code that
// computes them, and not on the commands for packages of the user. A word that changes in package suggest checks and
// measures nothing again, and builds neither book nor engine.
func TestKeys(t *testing.T) {
	page := []string{"GOOS=js", "GOARCH=wasm"}
	const judge = "internal/verdict/check.go internal/why/why.go internal/harness/testmain/measure.go " +
		"internal/escape/escape.go"
	for _, c := range []struct {
		name     string
		env      []string // the platform; nil for this one
		packages []string
		want     string // files that are in the list
	}{
		{"verdicts", nil, resultcache.VerdictCode(), judge + " internal/build/toolchain.go internal/sandbox/wasm.go " +
			"internal/sandbox/jail/jail.go internal/resultcache/cache.go"},
		{"measurements", nil, []string{measure.Code}, judge + " tools/bookalloc/measure/measure.go " +
			"internal/step/measure.go internal/harness/recorder/recorder.go tools/bookalloc/measure/release.go " +
			"internal/build/releases.go"},
		{"book", nil, []string{"./tools/bookalloc"}, judge + " tools/bookalloc/expand/expand.go " +
			"internal/exercise/sealed.tar"},
		{"engine", nil, []string{"./tools/engine"}, "tools/engine/trim.go"},
		{"page", page, []string{"./tools/engine/page"}, judge + " tools/engine/page/main.go " +
			"internal/programs/programs.go internal/harness/testmain/channel_wasm.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			names, err := gocommand.Sources(repository, c.env, c.packages...)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range strings.Fields(c.want) {
				if !slices.Contains(names, name) {
					t.Errorf("a change of %s computes nothing again", name)
				}
			}
			for _, name := range names {
				for _, other := range []string{"internal/owncode", "internal/present/html",
					"runner", "tools/checkalloc", "testdata"} {
					if strings.HasPrefix(name, other+"/") || strings.Contains(name, "/testdata/") {
						t.Errorf("a change of %s computes all again", name)
					}
				}
				if strings.HasSuffix(name, "_test.go") {
					t.Errorf("a change of the test %s computes all again", name)
				}
			}
		})
	}
}
