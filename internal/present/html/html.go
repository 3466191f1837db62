// Package html writes a Verdict as one page that needs nothing else: no host, no other file, and no script to be read.
package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"onthestack/internal/present"
	"onthestack/internal/present/design"
	"onthestack/internal/printable"
	"onthestack/internal/verdict"
)

// Options are what a page depends on beside the verdict.
type Options struct {
	// Source returns the text of a file by its base name, nil where there is none.
	Source func(file string) []byte
	// Command is how the reader calls the checker, with its arguments: "checkalloc explain ./json". "" leaves it out.
	Command string
}

var (
	//go:embed page.css
	own   string
	style = design.Tokens + own
	//go:embed page.js
	script string
	//go:embed page.tmpl
	text string

	page = template.Must(template.New("page").Funcs(template.FuncMap{
		"allocs":  verdict.FormatAllocs,
		"bytes":   func(perOp float64) string { return verdict.FormatBytes(perOp) + " B/op" },
		"count":   verdict.FormatCount,
		"size":    verdict.FormatBytes,
		"time":    verdict.FormatTime,
		"spread":  spread,
		"percent": present.Percent,
		"plural":  present.Plural,
		"clean":   printable.Clean,
		"inline":  printable.Inline,
		"style":   func() template.CSS { return template.CSS(style) },
		"script":  func() template.JS { return template.JS(script) },
		"against": against,
		"policy":  func() string { return policy },
	}).Parse(text))

	// policy lets the page's own style and script work, and nothing else: no request, no other script, no form.
	policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", hash(style), hash(script))
)

// hash names an inline style or script in a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Write writes v as a page. Whatever the sources, names and messages in it say is shown as text. Its size is bounded: what is
// left out is said.
func Write(w io.Writer, v *verdict.Verdict, o Options) error {
	var b bytes.Buffer
	if err := page.Execute(&b, build(v, o)); err != nil {
		return fmt.Errorf("write the page of %s: %w", strings.TrimSpace(v.Exercise+" "+v.Title), err)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// spread says of what ns/op is the median; "" where it was measured once.
func spread(samples []float64) string {
	if len(samples) < 2 {
		return ""
	}
	return fmt.Sprintf("median of %d, from %s to %s", len(samples), verdict.FormatTime(slices.Min(samples)), verdict.FormatTime(slices.Max(samples)))
}

// against is the class of a figure that has a target.
func against(figure float64, target *float64) string {
	switch {
	case target == nil:
		return ""
	case figure > *target:
		return "bad"
	}
	return "good"
}
