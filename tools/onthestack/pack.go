//go:build ignore

// This program writes a built site into one file, which the program onthestack embeds if it is built with the tag dist.
//
//	go run tools/onthestack/pack.go SITE FILE
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"onthestack/internal/safefile"
	"onthestack/runner/site"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run writes the files of the folder SITE into FILE, and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) != 2 {
		fmt.Fprintln(stderr, "usage: go run tools/onthestack/pack.go SITE FILE")
		return 2
	}
	var b bytes.Buffer
	err := site.WriteArchive(&b, os.DirFS(args[0]))
	if err == nil {
		err = safefile.Write(args[1], b.Bytes(), 0o666)
	}
	if err != nil {
		fmt.Fprintf(stderr, "pack: write the site of %s into %s: %v\n", args[0], args[1], err)
		return 1
	}
	fmt.Fprintf(stdout, "%s has the site in %.1f MB.\n", args[1], float64(b.Len())/1e6)
	return 0
}
