// Webtypes writes the TypeScript types of the JSON that Go programs of this repository write for the pages, so that
// they are declared only once.
//
//	go run ./tools/webtypes FOLDER
//
// Each Go type becomes an interface, with its documentation, and a shape of the same name, by which web/src/json.ts
// reads JSON as that type. The types are listed in types.go. After adding a field to one of them, run "make generate".
package main

//go:generate go run . ../../web/src/go

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() { os.Exit(run(os.Args[1:], os.Stderr)) }

// run writes the files into the folder that args names, and returns the exit code.
func run(args []string, stderr io.Writer) int {
	if len(args) != 1 || args[0] == "" || args[0][0] == '-' {
		fmt.Fprintln(stderr, "usage: go run ./tools/webtypes FOLDER")
		return 2
	}
	texts, err := generate(".")
	for name, text := range texts {
		err = errors.Join(err, os.WriteFile(filepath.Join(args[0], name), text, 0o644))
	}
	if err != nil {
		fmt.Fprintln(stderr, "webtypes:", err)
		return 1
	}
	return 0
}
