// Package steps writes the steps of a program as a page in a single file. The page loads nothing else. Without scripts
// it lists the steps as sentences.
//
// The files page.js and page.css are built from web/src/step and web/src/styles by "make generate".
package steps

import (
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

	"onthestack/internal/printable"
	"onthestack/internal/step"
)

var (
	//go:embed page.js
	script string
	//go:embed page.css
	style string
	//go:embed page.tmpl
	text string

	page = template.Must(template.New("page").Funcs(template.FuncMap{
		"inline": printable.Inline,
		"style":  func() template.CSS { return template.CSS(style) },
		"script": func() template.JS { return template.JS(script) },
		"policy": func() string { return policy },
	}).Parse(text))

	// policy allows the page's own style and script and nothing else: no requests, no other scripts, no forms.
	policy = fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hash(style), hash(script))
)

// hash returns the source expression of an inline style or script in a content security policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Write writes the steps of a program as a page, or of two beside each other. Text from a program is never interpreted
// as markup. command is the command line that made the page, "checkalloc step main.go"; "" leaves it out.
func Write(w io.Writer, programs []step.Compared, command string) error {
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
		err = page.Execute(w, struct {
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
