package bookdata

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"onthestack/internal/harness"
)

// A MeasuredPart is the part of a listing that its benchmarks need. Other test files may be written in a newer version
// of Go.
type MeasuredPart struct {
	Files       map[string][]byte // by base name
	TestPackage string            // name of the package that the benchmarks are in
	Benchmarks  []string          // their names, in the order of files and lines
}

// Source identifies the part by a hash of its files. Figures are stored with it, and are stale once it differs. Tests
// that are not measured do not change it.
func (p MeasuredPart) Source() string { return HashFiles(p.Files) }

// MeasuredPartOf returns the files of a package without the test files that declare no benchmark.
func MeasuredPartOf(files map[string][]byte) (MeasuredPart, error) {
	part := MeasuredPart{Files: map[string][]byte{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, "_test.go") {
			part.Files[name] = files[name]
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return part, err
		}
		if found := harness.Functions(file, "Benchmark"); len(found) > 0 {
			part.Files[name] = files[name]
			part.TestPackage = file.Name.Name
			part.Benchmarks = append(part.Benchmarks, found...)
		}
	}
	return part, nil
}

// ReadMeasuredPart reads the measured part of a listing of the book.
func ReadMeasuredPart(book fs.FS, listing string) (MeasuredPart, error) {
	files, err := ReadPackage(book, listing)
	if err != nil {
		return MeasuredPart{}, err
	}
	part, err := MeasuredPartOf(files)
	if err != nil {
		return part, fmt.Errorf("%s: %w", listing, err)
	}
	return part, nil
}

// A GoText is the text of a Go file without anchor comments.
type GoText struct {
	Name  string `json:"name"`
	Text  string `json:"text"`
	Bench bool   `json:"bench"` // it has the benchmarks
}

// GoTexts returns the Go files of the part, those with benchmarks last.
func (p MeasuredPart) GoTexts() ([]GoText, error) {
	var code, benchmarks []GoText
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if path.Ext(name) != ".go" {
			continue
		}
		file, err := parseListingFile(name, string(p.Files[name]))
		if err != nil {
			return nil, err
		}
		text, err := file.Whole()
		if err != nil {
			return nil, err
		}
		if strings.HasSuffix(name, "_test.go") {
			benchmarks = append(benchmarks, GoText{name, text, true})
		} else {
			code = append(code, GoText{name, text, false})
		}
	}
	return append(code, benchmarks...), nil
}

// wordEnds match where a word of a benchmark's name ends and the next begins: "Short|Log", "JSON|Text", "Size|32".
var wordEnds = []*regexp.Regexp{
	regexp.MustCompile(`([^\p{Lu}\s])(\p{Lu})`), regexp.MustCompile(`(\p{Lu})(\p{Lu}\p{Ll})`),
	regexp.MustCompile(`(\D)(\d)`), regexp.MustCompile(`(\d)(\D)`),
}

// BenchmarkWords returns the words of a benchmark's name: "short log" for "BenchmarkShortLog", "size 32" for
// "BenchmarkSize32".
func BenchmarkWords(benchmark string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(benchmark, "Benchmark"), "_", " ")
	for _, end := range wordEnds {
		name = end.ReplaceAllString(name, "$1 $2")
	}
	words := strings.Fields(name)
	for i, word := range words {
		// Keep abbreviations in capitals.
		if rest := []rune(word); len(rest) == 1 || !unicode.IsUpper(rest[1]) {
			words[i] = strings.ToLower(word)
		}
	}
	return strings.Join(words, " ")
}
