// Load starts a runner and simulates a class of sixty people. Each presses Run or Check several times within a
// minute, each time with another program; a tenth of the programs are hostile. Then one client sends requests that
// may make others wait, one kind after the other, while another client presses Run once a second. Load prints how
// long the clients wait. It fails if an answer is lost or wrong, if the other client waits for more than 3 s, or if
// the runner takes too much memory.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
