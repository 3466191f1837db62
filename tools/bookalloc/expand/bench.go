package expand

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/harness"
)

// bench shows a region of a listing; the data block has the listing and its benchmarks as one file, which the page
// runs. The caption names the lines of the listing's own file.
func (x *expander) bench(args []string) (string, error) {
	asInFile := func(_ *bookdata.ListingFile, lines bookdata.ListingLines) bookdata.ListingLines { return lines }
	return x.runnable(args[0], x.book.BenchProgram, asInFile)
}

// BenchProgram returns the listing that a page shows, of "PATH.go:ANCHOR" as in {{#bench}}, and its benchmarks, as one
// file.
func (b *Book) BenchProgram(arg string) (string, error) {
	name, _, _ := strings.Cut(arg, ":")
	listing := path.Dir(name)
	part, err := bookdata.ReadMeasuredPart(b.Files, listing)
	if err != nil {
		return "", err
	}
	body, err := benchProgram(part)
	if err != nil {
		return "", fmt.Errorf("%s: %w", listing, err)
	}
	return body, nil
}

// benchProgram returns the files of a listing as one file of package main without a main function, which a playground
// runs by its benchmarks. The benchmarks may be in another package, which imports the listing.
func benchProgram(part bookdata.MeasuredPart) (string, error) {
	if len(part.Benchmarks) == 0 {
		return "", fmt.Errorf("it has no benchmark: show it with {{#run}} or {{#listing}}")
	}
	imports := map[string]bool{}
	var bodies []string
	texts, err := part.GoTexts()
	if err != nil {
		return "", err
	}
	for _, file := range texts {
		body, err := withoutImports(file.Text, imports)
		if err != nil {
			return "", err
		}
		bodies = append(bodies, body)
	}
	text := "package main\n\nimport (\n" + strings.Join(slices.Sorted(maps.Keys(imports)), "\n") + "\n)\n\n" +
		strings.Join(bodies, "\n")
	program, err := format.Source([]byte(text))
	return string(program), err
}

// withoutImports returns what follows the imports of a file and adds these to imports. Imports of listings are left
// out, and the names of their packages with them.
func withoutImports(text string, imports map[string]bool) (string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments)
	if err != nil {
		return "", err
	}
	end := file.Name.End()
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
			end = g.End()
		}
	}
	body := text[end-file.FileStart:]
	for _, spec := range file.Imports {
		name := harness.Imported(spec)
		if !strings.Contains(name, "/listings/") {
			imports[text[spec.Pos()-file.FileStart:spec.End()-file.FileStart]] = true
			continue
		}
		qualifier := path.Base(name)
		if spec.Name != nil {
			qualifier = spec.Name.Name
		}
		body = regexp.MustCompile(`\b`+regexp.QuoteMeta(qualifier)+`\.`).ReplaceAllString(body, "")
	}
	return strings.TrimSpace(body) + "\n", nil
}
