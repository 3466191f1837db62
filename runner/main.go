// Runner serves the workbook, checks its exercises, and runs Go programs for the page as play.golang.org does. It runs
// what readers send as WebAssembly, inside this process or, if that takes long, in a process of its own, and the tests
// of checks in confined processes where it can.
//
// The packages in the folders:
//
//   - command reads the flags, and makes the server from the other packages
//   - api has the HTTP server and its endpoints, such as POST /check
//   - analysis parses, type-checks and formats what clients send, in a process for each request
//   - queue decides which requests are worked on, in which order, and for how long, and caches answers
//   - request reads the bodies of requests, sends answers and refusals, and describes the HTTP interface
//   - clients identifies clients, and decides which web pages may send requests
//   - store keeps the programs that readers share, and the rooms of classes
//   - room has the state of a class, and room/roomhttp serves it
//   - remote has workers on other machines do the work
//   - site serves the built site, and shows how make builds it; the program bootstrap there compiles the runner and is
//     replaced by it
//   - metrics has the metrics; settings has the flags
//   - hostile has the tests that send hostile programs to the server
//
// The program in load simulates a class. The folder systemd has the unit. onthestack/internal/sandbox decides what a
// program may use in the sandbox, and the sentence that a stopped build or run shows is in onthestack/internal/execution.
package main

import (
	"os"

	"onthestack/internal/sandbox/jail"
	"onthestack/runner/command"
)

func main() {
	jail.Main() // does not return in a process that is to run a check's tests
	os.Exit(command.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
