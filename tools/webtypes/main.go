// Webtypes writes the TypeScript types of the JSON that Go programs of this repository write for the pages into
// web/src/go, so that they are declared only once. "make generate" runs it.
//
// Each Go type becomes an interface, with its documentation, and a shape of the same name, by which web/src/json.ts
// reads JSON as that type. The types are listed in types.go. After adding a field to one of them, run "make generate".
package main

//go:generate go run .

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// folder is the folder of the generated files, seen from this command's.
const folder = "../../web/src/go"

func main() {
	texts, err := generate(".")
	for name, text := range texts {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), text, 0o644))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "webtypes:", err)
		os.Exit(1)
	}
}
