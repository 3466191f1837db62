package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"onthestack/internal/owncode/benchmark"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/present"
	"onthestack/internal/printable"
	"onthestack/internal/why"
)

// A next says what to do about a line: what its reason suggests, a page of the book, and the steps to a proven edit.
type next struct {
	line   heapprofile.Line
	advice string
	steps  []Step // none for a line that no benchmark of the module can run
}

// A Step is a command on the way from a line to a proven edit.
type Step struct{ Does, Command string }

// nextOf returns what to do about the first line whose reason suggests something. ok is false if there is none.
func nextOf(r *heapprofile.Report, shown []heapprofile.Line, command string) (n next, ok bool) {
	for _, l := range shown {
		advice, _ := present.Next(l.Kind, l.Callees)
		if l.Kind == "" || advice == "" {
			continue
		}
		n = next{line: l, advice: advice}
		switch function := why.Outermost(l.Func); {
		case l.Benchmark != "":
			n.steps = Steps(command, l.Package, l.Benchmark)
		case benchmark.Possible(function) && r.InModule(l.Package):
			write := Step{"writes a benchmark", fmt.Sprintf("%s explain --benchmark %s %s", command,
				benchmark.PlainName(function), l.Package)}
			n.steps = slices.Insert(Steps(command, l.Package, benchmark.NameOf(function)), 0, write)
		}
		return n, true
	}
	return n, false
}

// Steps returns the steps from a benchmark to a proven edit, and to a budget that keeps it.
func Steps(command, pkg, name string) []Step {
	return []Step{
		{"counts exactly", fmt.Sprintf("%s explain %s --bench '^%s$'", command, pkg, name)},
		{"proves an edit", fmt.Sprintf("%s suggest %s --bench '^%s$'", command, pkg, name)},
		{"keeps the gain", fmt.Sprintf("%s guard %s", command, pkg)},
	}
}

// WriteSteps writes steps below each other. A command is on a line of its own, to be copied.
func WriteSteps(w io.Writer, steps []Step, width int) {
	longest := 0
	for _, s := range steps {
		longest = max(longest, len(s.Does))
	}
	for _, s := range steps {
		fmt.Fprintf(w, "    %s  %s\n", present.Faint.Render(fmt.Sprintf("%-*s", longest, s.Does)),
			present.Hang(longest+6, present.Command(printable.Clean(s.Command)), width))
	}
}

// text returns what the reason suggests, with the page of the book.
func (n next) text() string {
	text := fmt.Sprintf("%s:%d: %s", n.line.File, n.line.Line, n.advice)
	if n.line.Page != "" {
		text += " book/" + n.line.Page + ".md shows how."
	}
	if n.line.Benchmark != "" {
		text += " " + n.line.Benchmark + " may run this line:"
	} else if len(n.steps) > 0 {
		text += " No benchmark is known to run this line:"
	}
	return text
}

// aboutBudgets says how guard learns what to check.
const aboutBudgets = "guard checks the budget in a comment above the benchmark, such as //checkalloc:allocs<=1."

// write writes what to do for a terminal.
func (n next) write(w io.Writer, width int) {
	fmt.Fprint(w, present.Indent(2, "Next: "+printable.Clean(n.text()), width))
	WriteSteps(w, n.steps, width)
	if len(n.steps) > 0 {
		fmt.Fprint(w, present.Indent(4, present.Faint.Render(aboutBudgets), width))
	}
}

// markdown writes what to do for a comment.
func (n next) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Next**: %s\n\n", prose(n.text()))
	for _, s := range n.steps {
		fmt.Fprintf(&b, "- %s: %s\n", s.Does, code(s.Command, 2*maxCode))
	}
	if len(n.steps) > 0 {
		fmt.Fprintf(&b, "\n%s\n\n", prose(aboutBudgets))
	}
	return b.String()
}

// shortCallees returns the functions that are called between a line and most of its objects, without import paths.
func shortCallees(r *heapprofile.Report, l heapprofile.Line) (names []string) {
	for _, callee := range l.Callees {
		names = append(names, printable.Inline(r.Short(callee)))
	}
	return names
}

// profileChain writes the functions that are called between a line and most of its objects, if there are several.
func profileChain(r *heapprofile.Report, l heapprofile.Line) string {
	const most = 6 // the outermost, and the one that allocates
	if len(l.Callees) < 2 {
		return ""
	}
	names := shortCallees(r, l)
	if len(names) > most {
		names = slices.Concat(names[:most-2], []string{"…"}, names[len(names)-1:])
	}
	return strings.Join(names, " → ")
}
