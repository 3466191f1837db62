package playground

// A Formatted is the result of formatting a program, in the playground's format.
type Formatted struct {
	Body  string
	Error string // why the program does not parse: "prog.go:3:1: …"
}
