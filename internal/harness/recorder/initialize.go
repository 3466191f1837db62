package recorder

// Main enables the recorder, when main begins. vars are pointers to the variables of the package.
func Main(vars ...any) {
	if enabled {
		return
	}
	pointers = vars
	for i, v := range vars {
		globals = append(globals, variableAt(i, v))
	}
	enabled = true
}

// The initialization of the package: the pointers to its variables, and the frame of the function that initializes
// them, 0 before and after.
var (
	pointers     []any
	initializing Frame
)

// Begin enables the recorder before the package's variables are initialized, in the function with that number. A number
// below 0 means that no code initializes variables. Begin returns a value only so that a variable can be initialized
// with it.
func Begin(vars interface{ Pointers() []any }, function, line int) bool {
	Main(vars.Pointers()...)
	if function >= 0 {
		initializing = Enter(function, line)
		initializing.Began()
	}
	return true
}

// Initializes tells that the initializer with that number begins, and returns the number.
func Initializes(line int) int {
	if initializing != 0 {
		initializing.Line(line)
	}
	return line
}

// Calls is like Initializes, and returns the function that the initializer calls.
func Calls[F any](line int, f F) F {
	Initializes(line)
	return f
}

// Value stores v in a variable of the package that is about to be initialized with it, makes a snapshot, and returns v.
// The variable is numbered by its position among the arguments of Main; -1 stands for a blank variable.
func Value[T any](line, variable int, v T) T {
	Store(variable, v)
	Stored(line)
	return v
}

// Store is the first part of Value, for an initializer with several values.
func Store[T any](variable int, v T) {
	if initializing != 0 && variable >= 0 {
		if p, ok := pointers[variable].(*T); ok {
			*p = v
		}
	}
}

// Stored is the second part of Value.
func Stored(line int) {
	if initializing != 0 {
		initializing.At(line)
	}
}

// Initialized tells that all variables of the package are initialized.
func Initialized() {
	initializing.Exit(0)
	initializing = 0
}
