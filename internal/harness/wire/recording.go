package wire

// A recording of a program's steps consists of messages, which package recorder sends from the program and package step
// reads. These begin a message.
const (
	MessageType  = 'T' // declares the next type: its name
	MessageStep  = 'S' // a snapshot
	MessageLimit = 'L' // a limit is reached, and the program ends: TooLong or TooDeep
)

// The limits that end a recording, in a MessageLimit.
const (
	TooLong = 's' // MaxSteps
	TooDeep = 'd' // MaxCalls
)

// The events at which a snapshot is made.
const (
	EventBegan    = 'b' // a function has begun
	EventExecuted = 'x' // a statement has been executed
	EventEnded    = 'e' // a function has ended
)

// The kinds of a value.
const (
	KindText      = 't' // a number, a bool: its text
	KindPointer   = 'p' // an address, 0 for nil
	KindSlice     = 's' // address, length, capacity
	KindString    = 'g' // address, length, its first bytes
	KindMap       = 'm' // address, length
	KindChan      = 'c' // address, length, capacity
	KindFunc      = 'f' // address, name
	KindInterface = 'i' // the type in it (0 for nil), whether the value is in a box, and the box's address or the value
	KindStruct    = 'r' // its fields: name and value
	KindArray     = 'a' // its length and its first elements
	KindEntries   = 'e' // of a map: its length, and its first keys and values
	KindCaptures  = 'k' // of a closure: its literal, and the variables that it captures
	KindOmitted   = 'o' // not read: nested too deep, or of a kind that cannot be followed
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
