package verdict

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
)

// explain sorts the allocations, and fills in Code, Reasons, Kind and Why.
func (v *Verdict) explain(p *Package) {
	// The sort is stable, so that lines with equal allocs/op stay in source order.
	slices.SortStableFunc(v.Allocations, func(a, b Allocation) int { return cmp.Compare(b.AllocsPerOp, a.AllocsPerOp) })
	for i := range v.Allocations {
		a := &v.Allocations[i]
		a.Code = lineText(p.Files[a.File], a.Line)
		a.Reasons = reasons(v.Escapes, a)
		a.Kind, a.Why = why(v.Escapes, a)
	}
}

func lineText(text []byte, line int) string {
	lines := strings.Split(string(text), "\n")
	if line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}

// Announces reports whether d says that a value is allocated on the heap. It is false for constants: the compiler
// reports them as escaping too, but places them in read-only data.
func Announces(d escape.Diagnostic) bool {
	return (d.Kind == escape.Escape || d.Kind == escape.Moved) && !isConstant(escape.Subject(d))
}

// reasons returns the diagnostics that announce a heap value on the allocation's line.
func reasons(escapes []escape.Diagnostic, a *Allocation) []Reason {
	found := []Reason{}
	for _, d := range escapes {
		if d.File != a.File || d.Line != a.Line || !Announces(d) {
			continue
		}
		found = append(found, NewReason(d, a.Code))
	}
	return found
}

// NewReason returns the reason that d gives, which announces a value on the heap. Code is the text of its line,
// trimmed.
func NewReason(d escape.Diagnostic, code string) Reason {
	return Reason{Line: d.Line, Col: d.Col, Message: d.Message, Kind: kindOf(d, code), Why: escape.Why(d),
		Flow: escape.Reasons(d)}
}

func isConstant(expr string) bool {
	if expr == "true" || expr == "false" || expr == "nil" {
		return true
	}
	_, notText := strconv.Unquote(expr)
	_, notNumber := strconv.ParseFloat(expr, 64)
	return notText == nil || notNumber == nil
}

// why returns the reasons why the line allocates, each a clause, joined by "; ", and the kind of the first.
func why(escapes []escape.Diagnostic, a *Allocation) (Kind, string) {
	var kind Kind
	var clauses []string
	add := func(k Kind, clause string) {
		if len(clauses) == 0 {
			kind = k
		}
		if !slices.Contains(clauses, clause) {
			clauses = append(clauses, clause)
		}
	}
	switch {
	case len(a.Reasons) > 0:
		for _, r := range a.Reasons {
			add(r.Kind, r.Why)
		}
	case len(a.Callees) > 0:
		add(Callee, "allocated inside "+path.Base(a.Callees[0])+", which is called here")
	case len(a.causes) == 0:
		add(Unexplained, unexplained)
	default:
		for _, c := range a.causes {
			add(atRunTime(escapes, a, c))
		}
	}
	return kind, strings.Join(clauses, "; ")
}
