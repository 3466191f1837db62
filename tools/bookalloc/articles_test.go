package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/bookdata"
)

// TestArticles tests that the history has these figures of the articles on the articles' releases. That a listing's own
// benchmark reproduces its article is proved with the history.
func TestArticles(t *testing.T) {
	book := os.DirFS("../../book")
	h, err := bookdata.ReadHistory(book)
	if err != nil {
		t.Fatal(err)
	}
	names, err := bookdata.FindListings(book)
	if err != nil {
		t.Fatal(err)
	}
	manifests := map[string]*bookdata.Manifest{}
	for _, name := range names {
		m, err := bookdata.ReadManifest(book, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Prove(name, m); err != nil {
			t.Error(err)
		}
		manifests[name] = m
	}
	for _, want := range []struct {
		chapter, release string
		allocs, bytes    float64
	}{
		{"memory-profiling", "go1.8", 2, 117},
		{"memory-profiling", "go1.8", 1, 5},
		{"memory-profiling", "go1.8", 0, 0},
		{"sorting-and-size-classes", "go1.15", 1, 32},
		{"sorting-and-size-classes", "go1.16", 1, 24},
		{"heap-optimization", "go1.10", 1, 32},
		{"heap-optimization", "go1.10", 0, 0},
		{"buffer-bootstrap", "go1.11", 1, 112},  // empty
		{"buffer-bootstrap", "go1.11", 2, 117},  // five bytes
		{"buffer-bootstrap", "go1.11", 2, 176},  // sixty-four
		{"buffer-bootstrap", "go1.11", 3, 2160}, // 1024: "2.16kB"
		{"buffer-bootstrap", "go1.12", 0, 0},
		{"buffer-bootstrap", "go1.12", 1, 5},
		{"buffer-bootstrap", "go1.12", 1, 64},
		{"buffer-bootstrap", "go1.12", 2, 2176}, // "2.18kB"
		{"interpolation", "go1.4", 15, 1144},
		{"interpolation", "go1.4", 6, 560},
		{"interpolation", "go1.4", 3, 496},
		{"interpolation", "go1.4", 2, 448},
		{"interpolation", "go1.4", 1, 160},
	} {
		found := false
		for name, m := range manifests {
			found = found ||
				strings.HasPrefix(name, want.chapter+"/") && slices.ContainsFunc(m.Articles,
					func(a bookdata.Article) bool {
						return a.Release == want.release && a.Allocs == want.allocs && a.Bytes != nil &&
							*a.Bytes == want.bytes
					})
		}
		if !found {
			t.Errorf("no listing of %s reproduces %v allocs/op and %v B/op on %s", want.chapter, want.allocs,
				want.bytes, want.release)
		}
	}
}
