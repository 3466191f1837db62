package bookdata

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestSample proves that a sample has the listings whose files or figures have changed since a commit, and as many
// others as it should, which another commit changes.
func TestSample(t *testing.T) {
	root := t.TempDir()
	lay := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.org"},
			args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	measured := func(allocs int, why string) string {
		return fmt.Sprintf(`{"verdict": {"go": "go1.26.8", "benchmarks": [{"name": "BenchmarkA", "allocs_per_op": %d}],`+
			` "allocations": [{"why": %q}]}}`, allocs, why)
	}
	const history = `{"listings": {"a/listings/4": [{"go": ["go1.8.7"], "source": "x"}], ` +
		`"a/listings/5": [{"go": ["go1.8.7"]}]}}`
	var listings []string
	for i := range 10 {
		name := fmt.Sprintf("a/listings/%d", i)
		listings = append(listings, name)
		lay("book/"+name+"/x.go", "package x\n")
		lay("book/"+MeasuredFile(name), measured(1, "why"))
	}
	lay("book/"+HistoryFile, history)
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "a")
	sample := func(n int) []string {
		t.Helper()
		selected, err := Sample(root, "book", "HEAD", n, listings)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Sorted(maps.Keys(selected))
	}
	if got := sample(0); len(got) != 0 {
		t.Errorf("nothing has changed, and the sample is %v", got)
	}
	lay("book/a/listings/1/x.go", "package x // changed\n")
	lay("book/a/listings/2/y.go", "package x\n") // added
	lay("book/"+MeasuredFile("a/listings/3"), measured(2, "why"))
	lay("book/"+HistoryFile, `{"listings": {`+
		`"a/listings/4": [{"go": ["go1.8.7"], "source": "y"}], `+
		`"a/listings/5": [{"go": ["go1.8.7"]}]}}`)
	lay("book/"+MeasuredFile("a/listings/6"), measured(1, "in other words"))
	want := []string{"a/listings/1", "a/listings/2", "a/listings/3", "a/listings/4"}
	if got := sample(0); !slices.Equal(got, want) {
		t.Errorf("the sample is %v, want %v", got, want)
	}
	if got := sample(100); !slices.Equal(got, listings) {
		t.Errorf("the sample is %v, want all", got)
	}
	git("checkout", "-q", ".")
	git("clean", "-q", "-f")
	first := sample(5)
	if len(first) != 5 || !slices.Equal(first, sample(5)) {
		t.Errorf("the sample is %v and then %v, want the same five", first, sample(5))
	}
	for i := 0; slices.Equal(sample(5), first); i++ {
		if i == 10 {
			t.Fatal("the sample of eleven commits is the same")
		}
		git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
	}
}
