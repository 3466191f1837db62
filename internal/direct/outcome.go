package direct

// An Outcome is how a tool ended, or a build by its tools.
type Outcome struct {
	OK      bool
	Output  []byte // stdout and stderr
	Stopped string // the limit that ended it, as one of Stops says it, "" for none
}

// What ended a build: each begins the Stopped of builds that reached that limit.
const (
	TookTooLong = "took longer than"                    // of time
	Printed     = "printed more than"                   // of output
	Needed      = "needed more than"                    // of memory
	Used        = "used more than"                      // of the processor's time
	Wrote       = "wrote a file of more than"           // of a file's size
	Killed      = "was stopped by the operating system" // for a reason of its own, nearly always that no memory is left
)

// Stops are all that a Stopped begins with.
var Stops = []string{TookTooLong, Printed, Needed, Used, Wrote, Killed}
