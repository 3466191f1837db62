package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/bookdata"
)

// TestEveryIncrease tests that the table "Every increase" has each change after which a listing allocated more often or
// more bytes than on the release before, and no other change. One row is enough for all listings whose manifests give
// the same reason, perhaps after another sentence.
func TestEveryIncrease(t *testing.T) {
	files := os.DirFS(filepath.Join("..", "..", "book"))
	history, err := bookdata.ReadHistory(files)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join("..", "..", "book", "what-changed", "more.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(page), "{#every-increase}")
	if !found {
		t.Fatal("more.md has no section every-increase")
	}
	shown := map[string]bool{}         // listing@release and benchmark of the column "after"
	explained := map[string][]string{} // the reasons of these rows by release
	increased := map[string]bool{}
	reason := func(listing, release string) string {
		m, err := bookdata.ReadManifest(files, listing)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(m.Changes, func(c bookdata.Change) bool { return c.Release == release })
		if i < 0 {
			t.Fatalf("%s/%s gives no reason for %s", listing, bookdata.ManifestFile, release)
		}
		return m.Changes[i].Why
	}
	for _, row := range regexp.MustCompile(`(?m)^\| (1\.\d+) \|.*$`).FindAllStringSubmatch(table, -1) {
		release := "go" + row[1]
		for _, figure := range regexp.MustCompile(`\{\{#figure (\S+)@(\S+) \w+ (\w+)\}\}`).FindAllStringSubmatch(row[0], -1) {
			if figure[2] == release {
				shown[figure[1]+" "+release+" "+figure[3]] = true
				explained[release] = append(explained[release], reason(figure[1], release))
			}
		}
	}
	for listing, releases := range history.Listings {
		for release, after := range releases {
			before := history.Before(listing, release)
			for _, b := range after.Benchmarks {
				a, err := before.Benchmark(b.Name)
				if err != nil || b.AllocsPerOp <= a.AllocsPerOp && b.BytesPerOp <= a.BytesPerOp {
					continue
				}
				increased[listing+" "+release+" "+b.Name] = true
				why := reason(listing, release)
				if !slices.ContainsFunc(explained[release], func(shown string) bool { return strings.HasSuffix(why, shown) }) {
					t.Errorf("more.md has no row for %s of %s on %s: %s", b.Name, listing, release, why)
				}
			}
		}
	}
	for where := range shown {
		if !increased[where] {
			t.Errorf("more.md lists %s, which did not increase", where)
		}
	}
}
