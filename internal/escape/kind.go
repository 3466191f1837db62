package escape

import (
	"regexp"
	"strings"
)

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
