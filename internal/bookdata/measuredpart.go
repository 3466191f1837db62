package bookdata

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
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

// ReadMeasuredPart reads the measured part of a listing of the book, without a profile for the compiler.
func ReadMeasuredPart(book fs.FS, listing string) (MeasuredPart, error) {
	files, err := ReadPackage(book, listing)
	if err != nil {
		return MeasuredPart{}, err
	}
	delete(files, profile)
	part, err := MeasuredPartOf(files)
	if err != nil {
		return part, fmt.Errorf("%s: %w", listing, err)
	}
	return part, nil
}

// BenchmarkWords returns the words of a benchmark's name: "short log" for "BenchmarkShortLog", "size 32" for
// "BenchmarkSize32".
func BenchmarkWords(benchmark string) string {
	name := []rune(strings.TrimPrefix(benchmark, "Benchmark"))
	var words []string
	start := 0
	for i := 1; i <= len(name); i++ {
		if i < len(name) && !wordBegins(name, i) {
			continue
		}
		word := strings.Trim(string(name[start:i]), "_")
		// Keep abbreviations in capitals.
		if rest := []rune(word); len(rest) == 1 || len(rest) > 1 && !unicode.IsUpper(rest[1]) {
			word = strings.ToLower(word)
		}
		if word != "" {
			words = append(words, word)
		}
		start = i
	}
	return strings.Join(words, " ")
}

// wordBegins reports whether a word begins at name[i], i > 0: "Short|Log", "JSON|Text", "Size|32", "a|_b".
func wordBegins(name []rune, i int) bool {
	at, before := name[i], name[i-1]
	switch {
	case at == '_' || before == '_':
		return true
	case unicode.IsDigit(at) != unicode.IsDigit(before):
		return true
	case !unicode.IsUpper(at):
		return false
	}
	return !unicode.IsUpper(before) || i+1 < len(name) && unicode.IsLower(name[i+1])
}
