// Load starts a runner and is a class of sixty for it: each of them presses Run or Check some times within a minute,
// each time with another program, and a tenth of what they send means harm. Then one client sends all that may make
// others wait, one kind after the other, while another presses Run once a second. It says how long they wait, and fails
// where an answer is lost or wrong, where the other client waits for more than 3 s, or where the runner takes too much
// memory.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
