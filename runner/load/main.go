// Load starts a runner and is a class of sixty for it: each of them presses Run or Check some times within a minute, each time
// with another program, and a tenth of what they send means harm. It says how long they wait, and fails where an answer is lost
// or wrong or the runner takes too much memory.
package main

import "os"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }
