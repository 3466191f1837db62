package escape

import (
	"go/token"
	"strings"
)

// Storage says what an expression has storage for, on the heap or on the stack.
type Storage int

const (
	Other         Storage = iota // anything that the message does not identify
	Pointee                      // a variable behind a pointer: &T{...}, new(T)
	Array                        // a slice's array, of a fixed size: []T{...}, make([]T, n)
	Append                       // a slice's array that append makes
	Variadic                     // the array of the slice of variadic arguments
	Map                          // a map
	Channel                      // a channel
	Closure                      // a function literal with the variables that it captures
	Concatenation                // the string that + makes
	Conversion                   // the copy that a conversion between strings and slices makes
	Boxed                        // the copy of a value in an interface
	Empty                        // the copy of a value of size zero in an interface: no memory
	Constant                     // a constant in an interface: read-only data
)

// A Value is what an expression has storage for, by its type. The compiler does not print it.
type Value struct {
	Size     int64 // in bytes, -1 if it is known only at run time
	Pointers bool
	// Convert is the function of the runtime that copies the value into an interface, "" if nothing is copied so.
	Convert string
	// Storage is the kind of the value if that depends on its type and it is not boxed, else Other.
	Storage Storage
}

// StorageOf returns what the expression of an Escape or Stays diagnostic has storage for. The compiler prints the
// expression, not what is allocated for it. From the form alone, "x escapes to heap" means that x is copied into an
// interface; for other forms MarkStorage says so.
func StorageOf(d Diagnostic) Storage {
	kind, _ := storageFor(d)
	return kind
}

// storageFor returns what the expression of an Escape or Stays diagnostic has storage for, and a description of it.
func storageFor(d Diagnostic) (Storage, string) {
	subject := unqualified(Subject(d), d.inlined)
	kind, words := storageOf(subject)
	if callee, _, ok := call(subject); ok && callee == "append" && d.Kind == Escape {
		// Of the array that append makes, the compiler says "append escapes to heap".
		kind, words = Boxed, "the value of "+shown(subject)
	}
	if d.Source != "" {
		words = named(subject, d.Source, kind)
	}
	if d.Stored == Other || d.Stored == kind {
		return kind, words
	}
	if typed, ok := storageWords[d.Stored]; ok {
		words = typed
	}
	return d.Stored, words
}

var storageWords = map[Storage]string{Array: "the slice's array", Map: "the map", Channel: "the channel"}

// typeStorage returns what make allocates for a type, Other for a name of a type.
func typeStorage(t string) Storage {
	switch {
	case strings.HasPrefix(t, "map["):
		return Map
	case strings.HasPrefix(t, "chan "), strings.HasPrefix(t, "<-chan "), strings.HasPrefix(t, "chan<- "):
		// The runtime allocates channels on the heap; the compiler does not report them.
		return Channel
	case strings.HasPrefix(t, "[]"):
		return Array
	}
	return Other
}

// open reports whether the message leaves open what the expression has storage for, because that depends on the type
// behind a name.
func open(d Diagnostic) bool {
	subject := Subject(d)
	if callee, args, ok := call(subject); ok && callee == "make" {
		t, _, _ := cutTop(args, ", ")
		return typeStorage(t) == Other
	}
	kind, _ := storageOf(subject)
	return kind == Other || kind == Pointee // to a value that may have no size
}

// storageOf returns what expr has storage for, and a description of it.
func storageOf(expr string) (Storage, string) {
	callee, args, isCall := call(expr)
	switch {
	case expr == "struct {}{}":
		return Empty, "the struct {}"
	case expr == "func literal":
		return Closure, "the closure"
	case expr == "... argument":
		return Variadic, "the slice of variadic arguments"
	case expr == "append" || callee == "append":
		return Append, "the array that append grows"
	case constant(expr):
		return Constant, "the constant " + shown(expr)
	case isCall && callee == "make":
		t, _, hasSize := cutTop(args, ", ")
		switch kind := typeStorage(t); {
		case kind != Other:
			return kind, storageWords[kind]
		case hasSize: // mostly a slice
			return Array, storageWords[Array]
		}
		return Other, "the " + shown(t)
	case isCall && callee == "new":
		return Pointee, "the new " + shown(args)
	case isCall && (callee == "([]byte)" || callee == "([]rune)"):
		return Conversion, "the copy of " + shown(args) + " as " + callee[1:len(callee)-1]
	case isCall && callee == "string":
		return Conversion, "the string made from " + shown(args)
	}
	if t, ok := literalType(expr); ok {
		switch {
		case strings.HasPrefix(t, "&"):
			return Pointee, "the " + shown(t[1:])
		case strings.HasPrefix(t, "[]"):
			return Array, "the slice's array"
		case strings.HasPrefix(t, "map["):
			return Map, "the map"
		case strings.HasPrefix(t, "["), strings.HasPrefix(t, "struct "):
			return Boxed, "the " + shown(t)
		}
		return Other, "the " + shown(t) // a struct that is boxed, or a named slice or map
	}
	if _, _, ok := cutTop(expr, " + "); ok {
		if strings.ContainsRune(expr, '"') {
			return Concatenation, "the new string " + shown(expr)
		}
		return Other, "the result of " + shown(expr) // a new string, or a number that is boxed
	}
	if recv, name, ok := cutLast(expr, "."); ok && token.IsIdentifier(name) && recv != "" {
		return Other, "the value of " + shown(expr) // a method value, or a field that is boxed
	}
	switch name := shown(unconverted(expr)); name {
	case temporary:
		return Boxed, name
	case result:
		return Boxed, "the result of the inlined call"
	default:
		return Boxed, "the value of " + name
	}
}

// literalType returns the type of a composite literal, with its "&".
func literalType(expr string) (string, bool) {
	for _, body := range []string{"{...}", "{}"} {
		if t, ok := strings.CutSuffix(expr, body); ok && t != "" && t != "struct " && t != "interface " {
			return t, true
		}
	}
	return "", false
}

// boxed reports whether the storage for expr is certainly the copy of a value in
// an interface: an expression of this kind allocates only for that.
func boxed(expr string) bool {
	kind, _ := storageOf(expr)
	return kind == Boxed || kind == Empty || kind == Constant
}

// unconverted returns the operand of a conversion to the empty interface, and any
// other expression as it is.
func unconverted(expr string) string {
	if callee, args, ok := call(expr); ok {
		switch callee {
		case "any", "interface {}", "interface{}", "(any)", "(interface {})":
			return args
		}
	}
	return expr
}
