//go:build ignore

// Bootstrap compiles the runner and replaces itself with it. Compiling takes a minute or more on a new machine, so
// bootstrap, which takes a few seconds to compile, already listens on the runner's port, shows the progress of the
// build as a page, and begins to build the site. "make serve" starts it.
//
//	go build -o bootstrap runner/site/bootstrap.go
package main

import (
	"os"

	"onthestack/runner/site"
)

func main() { os.Exit(site.Bootstrap(os.Args[1:], os.Stdout, os.Stderr)) }
