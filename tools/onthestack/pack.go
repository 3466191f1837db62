//go:build ignore

// This program writes a built site into one file, which the program onthestack embeds if it is built with the tag dist.
//
//	go run tools/onthestack/pack.go SITE FILE
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"

	"onthestack/internal/safefile"
	"onthestack/runner/site"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: go run tools/onthestack/pack.go SITE FILE")
	}
	var b bytes.Buffer
	err := site.WriteArchive(&b, os.DirFS(os.Args[1]))
	if err == nil {
		err = safefile.Write(os.Args[2], b.Bytes(), 0o666)
	}
	if err != nil {
		log.Fatalf("pack: write the site of %s into %s: %v", os.Args[1], os.Args[2], err)
	}
	fmt.Printf("%s has the site in %.1f MB.\n", os.Args[2], float64(b.Len())/1e6)
}
