package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestProfileHTML proves that a page has the figures and the reasons of a report.
func TestProfileHTML(t *testing.T) {
	r := withTree()
	var out bytes.Buffer
	if err := ProfileHTML(&out, r, 0, "checkalloc explain --profile allocs"); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for want, times := range map[string]int{
		"<h1>example.com/svc</h1>":                         1,
		"<code>checkalloc explain --profile allocs</code>": 1,
		"<b>40 %</b>": 1,
		`4000 B <span class="margin">± 5 %</span>`:       1,
		`<span class="margin">± 20 %</span>`:             2,
		"<p>not explained: the function has changed</p>": 1,
		"<code>b := make([]byte, n)</code>":              0, // it has too few samples
	} {
		if n := strings.Count(page, want); n != times {
			t.Errorf("%q is there %d times, want %d", want, n, times)
		}
	}
	wellFormed(t, page)
	out.Reset()
	if err := ProfileHTML(&out, r, 3, ""); err != nil || !strings.Contains(out.String(), "<code>b := make(") {
		t.Errorf("--top 3: %v", err)
	}
}

// TestProfileHTMLHostile proves that names of a profile are never read as markup.
func TestProfileHTMLHostile(t *testing.T) {
	for _, payload := range payloads {
		r := withTree()
		rename(r, payload)
		var out bytes.Buffer
		if err := ProfileHTML(&out, r, 3, payload); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, out.String())
		for tag, times := range map[string]int{"<script": 1, "<style": 1, "<img": 0, "<b>b": 0} {
			if n := strings.Count(out.String(), tag); n != times {
				t.Errorf("%q: %s is there %d times", payload, tag, n)
			}
		}
	}
}

// wellFormed proves that a page is XML as well.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(page)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
