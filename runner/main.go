// Runner serves the workbook, checks its exercises, and runs Go programs for the page the way the playground at play.golang.org
// does. What it builds for a reader runs as WebAssembly inside this process.
//
// Here are its life (run, serve, preparing, warm, stop), what every request passes through (routes, requestlog, origins, request,
// work, stream, reply, refusal), and what each path does (compile, vet, escape, format, check, catalog, version, health). The
// folders, none of which knows this package, have the rest: settings, the flags; prepare, the steps that build the site meanwhile;
// clients, whose request it is and whether it may be made; queue, who is next; cache, answers that are kept; format, formatting;
// pages, what a browser shows; snippets, programs that are shared; metrics, what is counted. The program in load plays a class,
// and systemd has the unit.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
