// Runner serves the workbook, checks its exercises, and runs Go programs for the page the way the playground at
// play.golang.org does. What it builds for a reader runs as WebAssembly inside this process.
//
// This package has the server's lifecycle (run, serve, warm, stop), the processing of every request (routes, dispatch,
// origins, request, work, stream, reply, refusal), and the endpoints (programs, check, catalog, version) with what they
// build and run (attempt). The folders have the rest, and none of them imports this package: settings has the flags;
// prepare runs the steps of a build, buildsite has those of the site, which the runner runs while it serves, and
// progresspage shows them; bootstrap is the program that compiles the runner and then becomes it; clients identifies
// and admits clients; jobs has the queue and the cache; format formats programs; pages has the HTML pages; snippets the
// store of shared programs; metrics the counters. The program in load simulates a class, and systemd has the unit.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
