package verdict

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
)

// explain completes the allocations: their order, their code, the compiler's reasons for their line, and why in words.
func (v *Verdict) explain(p *Package) {
	// Lines that allocate equally often stay in the order of the source, in which their reasons are read best.
	slices.SortStableFunc(v.Allocations, func(a, b Allocation) int { return cmp.Compare(b.AllocsPerOp, a.AllocsPerOp) })
	for i := range v.Allocations {
		a := &v.Allocations[i]
		a.Code = sourceLine(p.Files[a.File], a.Line)
		a.Reasons = reasons(v.Escapes, a)
		a.Why = why(v.Escapes, a)
	}
}

func sourceLine(text []byte, line int) string {
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}

// announces reports whether the compiler says in d that a value is made on the heap. Constants are left out: the compiler calls
// them escaping, and has them ready in read-only data.
func announces(d escape.Diagnostic) bool {
	return (d.Kind == escape.Escape || d.Kind == escape.Moved) && !isConstant(escape.Subject(d))
}

// reasons are the compiler's announcements of heap values on the allocation's line.
func reasons(escapes []escape.Diagnostic, a *Allocation) []Reason {
	found := []Reason{}
	for _, d := range escapes {
		if d.File != a.File || d.Line != a.Line || !announces(d) {
			continue
		}
		found = append(found, Reason{Line: d.Line, Col: d.Col, Message: d.Message, Why: escape.Why(d), Flow: escape.Reasons(d)})
	}
	return found
}

func isConstant(expr string) bool {
	_, notText := strconv.Unquote(expr)
	_, notNumber := strconv.ParseFloat(expr, 64)
	return notText == nil || notNumber == nil
}

// why says in one clause why the line allocates.
func why(escapes []escape.Diagnostic, a *Allocation) string {
	if len(a.Reasons) > 0 {
		var clauses []string
		for _, r := range a.Reasons {
			if !slices.Contains(clauses, r.Why) {
				clauses = append(clauses, r.Why)
			}
		}
		return strings.Join(clauses, "; ")
	}
	if len(a.Callees) > 0 {
		return "allocated inside " + path.Base(a.Callees[0]) + ", which is called here"
	}
	cause := ""
	for _, d := range escapes {
		if d.File != a.File || d.Line != a.Line || d.Kind != escape.Stays {
			continue
		}
		// A conversion that is part of a concatenation makes no copy of its own.
		if c := atRunTime(d.Message, bytesEach(a)); c != "" && (cause == "" || strings.HasPrefix(c, concatenates)) {
			cause = c
		}
	}
	if cause != "" {
		return "does not escape, yet allocates: " + cause
	}
	switch {
	case strings.Contains(a.Code, "append("):
		return "append grew the slice: its capacity was used up"
	case intoElement.MatchString(a.Code):
		return "not announced by the compiler: storing into a map may make it grow"
	case strings.Contains(a.Code, "+="):
		return "not announced by the compiler: adding to a string makes a new one"
	case strings.HasPrefix(a.Code, "go "):
		return "starting a goroutine allocates what it is called with"
	}
	return "not announced by the compiler: allocated by the runtime for this line"
}

// intoElement is an assignment to what stands in brackets, "m[k] = v" or "m[k]++".
var intoElement = regexp.MustCompile(`\]\s*(\+\+|--|([-+*/%&|^]|<<|>>|&\^)?=([^=]|$))`)

func bytesEach(a *Allocation) int {
	return int(math.Round(a.BytesPerOp / a.AllocsPerOp))
}

// onStack is how many bytes of a backing array of unknown size the compiler keeps ready on the stack: maxImplicitStackVarSize's
// counterpart for variable sizes, "variablemakethreshold" in cmd/compile (Go 1.25), and tmpStringBufSize in the runtime.
const onStack = 32

const concatenates = "the concatenation makes a new string"

// atRunTime says why a value that, by the compiler's message, does not escape is on the heap all the same; "" when unknown.
func atRunTime(message string, size int) string {
	subject, ok := strings.CutSuffix(message, " does not escape")
	if !ok {
		return ""
	}
	over := fmt.Sprintf("%d bytes is over the %d that the compiler keeps ready on the stack", size, onStack)
	switch {
	case strings.HasPrefix(subject, "make(map"), strings.HasPrefix(subject, "map["):
		return "the map has more entries than fit the group that the compiler keeps on the stack"
	case strings.HasPrefix(subject, "make(["):
		return "its size is known only at run time, and " + over
	case strings.HasPrefix(subject, "append"):
		return "append grew the slice beyond what the compiler keeps ready on the stack"
	case strings.HasPrefix(subject, "([]rune)("):
		return "the conversion copies, and more than 32 runes do not fit what the compiler keeps ready on the stack"
	case strings.HasPrefix(subject, "string("), strings.HasPrefix(subject, "([]"), strings.HasPrefix(subject, "[]byte("):
		return "the conversion copies, and " + over
	case strings.Contains(subject, " + "):
		return concatenates + ", and " + over
	}
	return ""
}
