package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestCatalog(t *testing.T) {
	a := send(t, "GET", "/api/exercises", "", "")
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/json" ||
		a.header.Get("Vary") != "Origin" {
		t.Fatalf("status %d, %v", a.status, a.header)
	}
	all := decode[[]catalogEntry](t, a)
	if len(all) != len(sealedExercises()) {
		t.Errorf("%d exercises of %d", len(all), len(sealedExercises()))
	}
	// The text is compared as it is read: JSON escapes quotes and tabs.
	told := fmt.Sprintf("%+v", all)
	starters := ""
	for _, e := range sealedExercises() {
		for _, text := range e.Starter() {
			starters += string(text)
		}
	}
	for i, e := range sealedExercises() {
		got := all[i]
		if got.Exercise != e.ID || got.Title != e.Title || got.Chapter != e.Chapter || got.Article != e.Article ||
			got.Hints != len(e.Hints) ||
			len(got.Benchmarks) != len(e.Benchmarks) || got.Figures == nil || len(got.Starter) != len(e.Edit) {
			t.Errorf("%s: %+v", e.ID, got)
		}
		for _, name := range e.Edit {
			if got.Starter[name] != string(e.Files[name]) {
				t.Errorf("%s: starter of %s is %q", e.ID, name, got.Starter[name])
			}
			for line := range strings.Lines(string(e.Solution[name])) {
				if line = strings.TrimSpace(line); len(line) > 30 && !strings.Contains(starters, line) &&
					strings.Contains(told, line) {
					t.Errorf("%s: a line of the solution is shown: %s", e.ID, line)
				}
			}
		}
		for _, h := range e.Hints {
			if text := strings.TrimSpace(h.Text); strings.Contains(told, text[:min(30, len(text))]) {
				t.Errorf("%s: a hint is told: %s", e.ID, text)
			}
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", base+"/api/exercises", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("If-None-Match", a.header.Get("ETag"))
	again, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	again.Body.Close()
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again: status %d", again.StatusCode)
	}
}
