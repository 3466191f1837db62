// Package recording says what a recording of a program's steps consists of: the messages that package recorder sends
// from the program, and that package step reads.
package recording

// The words that begin a message.
const (
	Type  = 'T' // declares the next type: its name
	Step  = 'S' // a snapshot
	Limit = 'L' // a limit is reached, and the program ends: TooLong or TooDeep
)

// The limits that end a recording.
const (
	TooLong = 's' // MaxSteps
	TooDeep = 'd' // MaxCalls
)

// The events at which a snapshot is made.
const (
	Began    = 'b' // a function has begun
	Executed = 'x' // a statement has been executed
	Ended    = 'e' // a function has ended
)

// The kinds of a value.
const (
	Text      = 't' // a number, a bool: its text
	Pointer   = 'p' // an address, 0 for nil
	Slice     = 's' // address, length, capacity
	String    = 'g' // address, length, its first bytes
	Map       = 'm' // address, length
	Chan      = 'c' // address, length, capacity
	Func      = 'f' // address, name
	Interface = 'i' // the type in it (0 for nil), whether the value is in a box, and the box's address or the value
	Struct    = 'r' // its fields: name and value
	Array     = 'a' // its length and its first elements
	Entries   = 'e' // of a map: its length, and its first keys and values
	Captures  = 'k' // of a closure: its literal, and the variables that it captures
	Omitted   = 'o' // not read: nested too deep, or of a kind that cannot be followed
)

// Bounds of a recording. The host has bounds of its own, because the program might send anything.
const (
	MaxSteps    = 1000
	MaxCalls    = 100 // nested, of a goroutine: finding the goroutine takes the longer the deeper its stack is
	MaxObjects  = 150 // in a snapshot
	MaxElements = 16  // of an array, a struct or a map
	MaxDepth    = 4   // of values in values
	MaxText     = 80  // bytes of a text
	MaxTypeName = 200 // bytes of a type's name
	MaxFrames   = 40  // in a snapshot
	MaxVars     = 40  // of a frame
)
