// Package html writes a verdict, a heap profile, or the steps of a program as a page in a single file. The page loads
// nothing else, and can be read without scripts.
//
// Write writes the page of a verdict: page.tmpl and page.go have its parts. WriteProfile writes the page of a heap
// profile, which has the source and the flame graphs of the other page: parts.tmpl has what both share. WriteSteps
// writes the page of a program's steps.
package html

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/step"
	"onthestack/internal/verdict"
)

// Options are the inputs of a page other than the verdict.
type Options struct {
	// Source returns the text of a file by its base name, with the import path before it for another package's file, or
	// nil if there is none.
	Source func(file string) []byte
	// Module is the path of the module, which names of its packages are shown without.
	Module string
	// Command is the command line that made the page, "checkalloc explain ./json"; "" leaves it out.
	Command string
}

var (
	//go:embed page.css
	pageStyle string
	style     = present.Tokens + pageStyle
	//go:embed page.js
	script string
	//go:embed parts.tmpl
	parts string
	//go:embed page.tmpl
	text string

	page = parsed("page", style, script, parts+text)
)

// parsed returns a function that parses a template when it is first called: each command of checkalloc starts a program
// that has all templates, and few commands write a page.
func parsed(name, style, script, text string) func() *template.Template {
	return sync.OnceValue(func() *template.Template {
		return template.Must(template.New(name).Funcs(embedded(style, script)).Funcs(figures).Parse(text))
	})
}

// figures are the functions of a template for figures and texts.
var figures = template.FuncMap{
	"allocs": verdict.FormatAllocs,
	"bytes":  func(perOp float64) string { return verdict.FormatBytes(perOp) + " B/op" },
	"count":  verdict.FormatCount,
	"size":   verdict.FormatBytes,
	"countAgainst": func(perOp float64, target *float64) string {
		return verdict.FormatAgainst(perOp, target, verdict.FormatCount)
	},
	"sizeAgainst": func(perOp float64, target *float64) string {
		return verdict.FormatAgainst(perOp, target, verdict.FormatBytes)
	},
	"time":    verdict.FormatTime,
	"spread":  spread,
	"percent": present.Percent,
	"part":    present.Part,
	"plural":  present.Plural,
	"clean":   printable.Clean,
	"against": targetClass,
}

// embedded returns the functions of a template for its style, its script and its content security policy, which allows
// these two and nothing else: no requests, no other scripts, no forms.
func embedded(style, script string) template.FuncMap {
	policy := fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hash(style), hash(script))
	return template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style) },
		"script": func() template.JS { return template.JS(script) },
		"policy": func() string { return policy },
		"inline": printable.Inline,
	}
}

// hash returns the source expression of an inline style or script in a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Write writes v as a page. Text from sources, names and messages is never interpreted as markup. The page is smaller
// than 10 MB, and says what it leaves out for that.
func Write(w io.Writer, v *verdict.Verdict, o Options) error {
	var b bytes.Buffer
	for part := 1.0; part == 1 || part > 0.01 && b.Len() > maxPage; part *= 0.75 {
		b.Reset()
		if err := page().Execute(&b, build(v, o, part)); err != nil {
			return fmt.Errorf("write the page of %s: %w", strings.TrimSpace(v.Exercise+" "+v.Title), err)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// spread returns the number and the range of the samples whose median is shown, "" if there is only one.
func spread(samples []float64) string {
	if len(samples) < 2 {
		return ""
	}
	return fmt.Sprintf("median of %d, from %s to %s", len(samples), verdict.FormatTime(slices.Min(samples)),
		verdict.FormatTime(slices.Max(samples)))
}

// targetClass returns the class of a figure: "good" or "bad" if it has a target, else "".
func targetClass(figure float64, target *float64) string {
	switch {
	case target == nil:
		return ""
	case figure > *target:
		return "bad"
	}
	return "good"
}

// The files steps.js and steps.css are built from web/src/step and web/src/styles by "make generate". They are in the
// repository because every build of this package embeds them, also where there is no Node.js to build them.
var (
	//go:embed steps.js
	stepsScript string
	//go:embed steps.css
	stepsStyle string
	//go:embed steps.tmpl
	stepsText string

	stepsPage = parsed("steps", stepsStyle, stepsScript, stepsText)
)

// WriteSteps writes the steps of a program as a page, or of two beside each other. Without scripts, the page lists the
// steps as sentences. Text from a program is never interpreted as markup. command is the command line that made the
// page, "checkalloc step main.go"; "" leaves it out.
func WriteSteps(w io.Writer, programs []step.Compared, command string) error {
	var names []string
	for _, p := range programs {
		names = append(names, p.Name)
	}
	var data any = step.NewComparison(programs...)
	if len(programs) == 1 {
		names = slices.Sorted(maps.Keys(programs[0].Steps.Files))
		data = programs[0].Steps
	}
	name := strings.Join(names, ", ")
	// encoding/json escapes <, > and &, so that the text cannot end the element that it is in.
	text, err := json.Marshal(data)
	if err == nil {
		err = stepsPage().Execute(w, struct {
			Name, Command string
			Programs      []step.Compared
			Data          template.JS
		}{name, command, programs, template.JS(text)})
	}
	if err != nil {
		return fmt.Errorf("write the page of %s: %w", name, err)
	}
	return nil
}
