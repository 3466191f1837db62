// Load starts a runner and simulates a class of sixty people. Each presses Run or Check several times within a
// minute, each time with another program; a tenth of the programs are hostile. Then one client sends requests that
// may make others wait, one kind after the other, while another client presses Run once a second. Load prints how
// long the clients wait. It fails if an answer is lost or wrong, if the other client waits for more than 3 s, or if
// the runner takes too much memory.
//
// "load room" has a class check and hand in for some minutes in a room, and prints how long it takes until a submission
// is on disk, until it is graded, and until the instructor's grid shows it. "load workers" has one worker on one
// processor, and then two on two, grade submissions, and prints how many they grade in a second.
package main

import (
	"os"

	"onthestack/runner/load/loadtest"
)

func main() { os.Exit(loadtest.Run(os.Args[1:], os.Stdout, os.Stderr)) }
