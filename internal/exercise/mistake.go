package exercise

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"slices"
)

// A Mistake is a likely mistake of an exercise, as far as a check has to recognize it. The recorded changes are in
// solutions/, see bookdata.Misconception; their code is not sealed, because a workspace must not contain it.
type Mistake struct {
	Name  string `json:"name"`  // "clipped"
	Title string `json:"title"` // "Clipped at the end"
	Say   string `json:"say"`   // what to say to a learner who has made it
	Code  string `json:"code"`  // the Fingerprint of the files with the mistake
	// Figures are its figures as a reader sees them; nil if a stage before the benchmark fails.
	Figures []MistakeFigure `json:"figures,omitempty"`
}

// A MistakeFigure is the measurement of one benchmark, as a reader sees it.
type MistakeFigure struct {
	Name   string `json:"name"`
	Allocs string `json:"allocs"` // allocs/op
	Bytes  string `json:"bytes"`  // B/op
}

// Fingerprint returns a hash of the tokens of Go files, by their names. Comments, white space and line breaks do not
// change it.
func Fingerprint(files map[string][]byte) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(hash, "file %q\n", name)
		writeTokens(hash, files[name])
	}
	return hex.EncodeToString(hash.Sum(nil)[:12])
}

// writeTokens writes the tokens of a Go file, which need not be correct. It leaves out semicolons and commas,
// because some of them only stand for line breaks.
func writeTokens(w io.Writer, text []byte) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, func(token.Position, string) {}, 0)
	for {
		switch _, tok, literal := s.Scan(); tok {
		case token.EOF:
			return
		case token.SEMICOLON, token.COMMA:
		default:
			fmt.Fprintf(w, "%d %q\n", tok, literal)
		}
	}
}
