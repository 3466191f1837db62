package verdict

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
)

// explain sorts the allocations, and fills in Code, Reasons and Why.
func (v *Verdict) explain(p *Package) {
	// The sort is stable, so that lines with equal allocs/op stay in source order.
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

// Announces reports whether d says that a value is allocated on the heap. It is false for constants: the compiler reports them as
// escaping too, but places them in read-only data.
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
		found = append(found, Reason{Line: d.Line, Col: d.Col, Message: d.Message, Why: escape.Why(d), Flow: escape.Reasons(d)})
	}
	return found
}

func isConstant(expr string) bool {
	if expr == "true" || expr == "false" || expr == "nil" {
		return true
	}
	_, notText := strconv.Unquote(expr)
	_, notNumber := strconv.ParseFloat(expr, 64)
	return notText == nil || notNumber == nil
}

// why returns the reasons why the line allocates: each a clause, joined by "; ".
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
	var clauses []string
	for _, c := range a.causes {
		if clause := atRunTime(escapes, a, c); !slices.Contains(clauses, clause) {
			clauses = append(clauses, clause)
		}
	}
	if len(clauses) == 0 {
		return unexplained
	}
	return strings.Join(clauses, "; ")
}
