package execution

// Report is the Kind of a Piece that a program did not print, but sent on the channel beside its streams.
const Report = "report"

// A Recording is the run of a program that reports about itself while it runs.
type Recording struct {
	// Pieces are what the program printed and what it reported, in order, one Piece for each write. The reports are as
	// untrusted as the output: the program itself may have written them.
	Pieces []Piece
	Exit   int // exit code
	Stop   Stop
}
