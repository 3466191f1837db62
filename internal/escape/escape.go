// Package escape parses the output of the Go compiler for -gcflags=-m and -gcflags=-m=2: one Diagnostic for each
// message, with the flow that explains it. It knows the messages of Go 1.26 and 1.27. An unknown message becomes a
// note, so that nothing is dropped.
//
// Parse is in parse.go. It splits lines (position.go), sorts messages by Kind, and joins each with its
// explanation (explanation.go) and with what the rest of the output says about the flow (context.go). The sentences
// that a reader sees are made elsewhere: why.go says what a diagnostic means for the value, steps.go what a step of its
// flow does, and reasons.go leaves out the steps that explain nothing. What an expression has storage for is decided in
// storage.go, from the expression as the compiler prints it (expr.go), and in stored.go, from the package's source.
//
// The package runs no compiler and opens no files, so it works in a browser page as well.
package escape

import (
	"cmp"
	"regexp"
	"strings"
)

// Kind sorts diagnostics by what they say about memory.
type Kind string

const (
	Escape Kind = "escape" // an expression's storage is on the heap: "… escapes to heap"
	Moved  Kind = "moved"  // a variable's storage is on the heap: "moved to heap: x"
	Leak   Kind = "leak"   // a parameter outlives its call: "leaking param: p"
	Stays  Kind = "stays"  // "… does not escape"
	Inline Kind = "inline" // "can inline", "cannot inline", "inlining call to"
	Note   Kind = "note"   // anything else, build errors included; see Diagnostic.Known
)

// Diagnostic is one message of the compiler about one position.
type Diagnostic struct {
	Package string `json:"-"`              // import path from the "# path" line above it, "" without one
	File    string `json:"file"`           // as printed, less a leading "./"
	Line    int    `json:"line"`           // from 1
	Col     int    `json:"col"`            // in bytes, from 1; 0 if the compiler gave none
	Kind    Kind   `json:"kind"`           // what it says about memory
	Message string `json:"message"`        // as the compiler prints it, without the position
	Func    string `json:"-"`              // function that the explanation names, "" without one
	Flow    []Step `json:"flow,omitempty"` // the explanations of -m=2, in the order printed
	// the kind of storage that MarkStorage found; Other if the message says it
	Stored Storage `json:"-"`
	// the expression in the source, if NameValues found it
	Source string `json:"-"`
	// the packages of the functions that are inlined at the position, see unqualified
	inlined []string
	// no message, only an explanation: see explanation.diagnostic
	explained bool
}

// Step is one line of an explanation.
type Step struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Message string `json:"message"` // an explanation of the step; "" for a step that a reader does not need
	Text    string `json:"text"`    // as the compiler prints it, without positions
}

// Compare orders diagnostics by their position in the source.
func Compare(a, b Diagnostic) int {
	return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
}

// Subject returns the subject of d: the expression that does or does not
// escape, the variable that is moved to the heap, the parameter that leaks, the
// function that is or is not inlined. It is "" for notes.
func Subject(d Diagnostic) string {
	m := d.Message
	switch d.Kind {
	case Escape:
		return strings.TrimSuffix(m, " escapes to heap")
	case Moved:
		return strings.TrimPrefix(m, "moved to heap: ")
	case Stays:
		subject, _, _ := cutLast(m, " does not escape")
		return subject
	case Leak:
		if x, ok := leakHeader(m + ":"); ok {
			return x.subject
		}
		_, name, _ := strings.Cut(m, ": ")
		name, _, _ = strings.Cut(name, " to result ")
		return name
	case Inline:
		return inlineSubject(m)
	}
	return ""
}

// inlinesCall begins the message that a call is inlined.
const inlinesCall = "inlining call to "

// InlinesCall reports whether d says that a call is inlined. The Subject is then the called function.
func InlinesCall(d Diagnostic) bool { return strings.HasPrefix(d.Message, inlinesCall) }

// LeaksToResult reports whether d says that a parameter leaks to a result of its function.
func LeaksToResult(d Diagnostic) bool {
	return d.Kind == Leak && strings.Contains(d.Message, " to result ")
}

// Level1 returns the diagnostics that the compiler prints for -m too, of the diagnostics of -m=2: with the messages of
// -m, each once at a position, and with the flows of -m=2.
func Level1(diagnostics []Diagnostic) (level1 []Diagnostic) {
	seen := map[textAt]bool{}
	for _, d := range diagnostics {
		name, can := strings.CutPrefix(d.Message, "can inline ")
		switch {
		case d.explained, strings.Contains(d.Message, " capturing by "),
			strings.HasSuffix(d.Message, " will be kept alive"):
			continue
		case can:
			name, _, _ = strings.Cut(name, " with cost ")
			d.Message = "can inline " + name
		case d.Kind == Inline && !InlinesCall(d):
			continue
		}
		at := textAt{positionOf(d), d.Message}
		if !seen[at] {
			seen[at] = true
			level1 = append(level1, d)
		}
	}
	return level1
}

// inlineSubject returns the function named in an inlining message.
func inlineSubject(m string) string {
	for _, p := range []string{"can inline ", "cannot inline ", inlinesCall, "function "} {
		name, ok := strings.CutPrefix(m, p)
		if !ok {
			continue
		}
		for _, end := range []string{" with cost ", " with score ", " considered ", " into ", ": "} {
			if before, _, ok := strings.Cut(name, end); ok {
				name = before
			}
		}
		return name
	}
	return ""
}

// cutLast cuts s around the last sep.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// kindOf classifies a message. It looks at prefixes first: an expression that
// escapes can end in any text, but never begins with these prefixes.
func kindOf(message string) Kind {
	switch {
	case strings.HasPrefix(message, "moved to heap: "):
		return Moved
	case strings.HasPrefix(message, "leaking param: "),
		strings.HasPrefix(message, "leaking param content: "):
		return Leak
	case strings.HasPrefix(message, "can inline "),
		strings.HasPrefix(message, "cannot inline "),
		strings.HasPrefix(message, inlinesCall),
		strings.HasPrefix(message, "function ") && strings.Contains(message, " considered 'big'; "):
		return Inline
	case strings.HasSuffix(message, " escapes to heap"):
		return Escape
	case strings.HasSuffix(message, " does not escape"),
		strings.HasSuffix(message, " does not escape, mutate, or call"):
		return Stays
	}
	return Note
}

// note matches the other messages of -m, by how they begin or by a part of them.
var note = regexp.MustCompile("^(index bounds check elided|zero-copy string->\\[\\]byte conversion|" +
	"rewriting OCONVIFACE value from |imprecise interface call|(partially |PGO )?devirtualizing |" +
	"should not PGO devirtualize |cannot devirtualize |assuming |marking |mutates param: |calls param: |" +
	"expr is unknown to bloop pass|unrecognized shape for assign list stmt|alias analysis: |" +
	"warning: truncated explanation|flow: |from )" +
	"| capturing by (ref|value): | ignoring self-assignment in | will be kept alive")

// Known reports whether d is one of the messages of -m. In the output of a failed
// build, an unknown note is most likely the error for which it failed.
func (d Diagnostic) Known() bool { return known(d.Message) }

func known(message string) bool {
	// A diagnostic made of an explanation alone (see explanation.diagnostic) is a header without its colon.
	return kindOf(message) != Note || isHeader(message) || isHeader(message+":") ||
		note.MatchString(strings.TrimLeft(message, " "))
}
