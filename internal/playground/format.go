package playground

// A Formatted is what came of formatting a program, in the playground's shape.
type Formatted struct {
	Body  string
	Error string // where the program does not parse: "prog.go:3:1: …"
}
