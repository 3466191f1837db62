package verdict_test

import (
	"go/version"
	"os"
	"testing"

	"onthestack/internal/build"
	"onthestack/internal/verdict"
)

// onOtherReleases calls test with a checker for each engine, on each release of Go that exercises are proved on (see
// build.Ends) but the installed one. Without patches, patches of the installed minor release are left out too: each
// release has its standard library compiled for both engines, and patches hardly differ.
func onOtherReleases(t *testing.T, patches bool, test func(*testing.T, verdict.Checker)) {
	releases, err := build.Ends(t.Context())
	if err != nil {
		unavailable(t, err)
	}
	installed, err := build.New(build.DefaultLimits()).Version()
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range releases {
		if release == installed || !patches && version.Lang(release) == version.Lang(installed) {
			continue
		}
		if _, err := build.Fetch(t.Context(), release); err != nil {
			unavailable(t, err)
		}
		for _, c := range []verdict.Checker{native(), wasm()} {
			t.Run(release+"/"+c.Runner.Engine(), func(t *testing.T) {
				limitBuilds(t)
				c.Builder = c.Builder.(*build.Toolchain).Release(release)
				test(t, c)
			})
		}
	}
}

// unavailable skips a test that needs other releases of Go if these cannot be downloaded. In continuous integration it
// fails the test.
func unavailable(t *testing.T, err error) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(err)
	}
	t.Skipf("NOT TESTED: this test needs other Go releases, which cannot be downloaded: %v", err)
}

// measure returns the verdict on a package's benchmarks. It fails the test unless all of them run.
func measure(t *testing.T, c verdict.Checker, name, path string, files map[string][]byte) *verdict.Verdict {
	t.Helper()
	p, err := verdict.NewPackage(name, path, files)
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.Measure(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Pass {
		t.Fatalf("stage %q\n%v\n%s", v.Stage, v.Errors, v.Tests.Output)
	}
	return v
}
