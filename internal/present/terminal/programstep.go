package terminal

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/step"
)

// Widths in columns: of two programs, from which they are drawn beside each other and not below each other, so that
// both are seen at once; and of one program, from which its heap is drawn beside its stack.
const (
	sideBySide = 76
	heapBeside = 60
)

// ProgramStep returns a drawing of the memory of one or two programs at step n; one that has ended keeps its last step.
func ProgramStep(compared []step.Compared, n, width int) string {
	if len(compared) == 1 {
		return drawStep(compared[0].Steps, n, width)
	}
	column := width
	if width >= sideBySide {
		column = (width - 4) / 2
	}
	var drawn []string
	for _, c := range compared {
		text := drawStep(c.Steps, min(n, len(c.Steps.Steps)-1), column)
		drawn = append(drawn, bold.Render("── "+ansi.Truncate(c.Name, column-3, "…"))+"\n"+text)
	}
	if column == width {
		return strings.Join(drawn, "\n")
	}
	left := lipgloss.NewStyle().Width(column + 4).Render(drawn[0])
	joined := lipgloss.JoinHorizontal(lipgloss.Top, left, drawn[1])
	var b strings.Builder
	for line := range strings.Lines(joined) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// drawStep draws a step: the line, the frames on the left, the heap on the right or, if there is no room, below, and
// what was printed.
func drawStep(d *step.Document, n, width int) string {
	s := &d.Steps[n]
	p := &picture{document: d, step: s, text: d.Text(n)}

	narrow := width < heapBeside
	between := "   "
	if narrow {
		between = "\n"
	}
	var b strings.Builder
	place := fmt.Sprintf("%s:%d", s.File, s.Line)
	fmt.Fprintf(&b, "%s   %s%s%s\n", bold.Render(fmt.Sprintf("step %d of %d", n+1, len(d.Steps))),
		place+eventWords[s.Event], between, plural(s.Allocs, "alloc", fmt.Sprintf("with %d B so far", s.Bytes),
			fmt.Sprintf("with %d B so far", s.Bytes)))
	if code := nthLine(d.Files[s.File], s.Line); code != "" {
		fmt.Fprintf(&b, "%s %s %s\n", bold.Render(number(s.Line)), faint.Render("│"),
			ansi.Truncate(code, width-10, "…"))
	}
	b.WriteByte('\n')
	left := width * 2 / 5
	right := width - left - 4
	if narrow {
		left, right = width-2, width-2
	}
	stack := p.stack(left)
	heap := p.heap(right)
	if len(heap) == 0 {
		heap = []string{bold.Render("heap"), faint.Render("nothing")}
	} else {
		heap = slices.Insert(heap, 0, bold.Render("heap"))
	}
	stack = slices.Insert(stack, 0, bold.Render("stack"))
	if narrow {
		stack, heap = slices.Concat(stack, []string{""}, heap), nil
	}
	for i := range max(len(stack), len(heap)) {
		var l, r string
		if i < len(stack) {
			l = stack[i]
		}
		if i < len(heap) {
			r = heap[i]
		}
		pad := strings.Repeat(" ", max(0, left-ansi.StringWidth(l)))
		b.WriteString(strings.TrimRight("  "+l+pad+"  "+r, " ") + "\n")
	}
	if s.Output != "" {
		b.WriteString("\n")
		for line := range strings.Lines(s.Output) {
			printed := ansi.Truncate(strings.TrimRight(line, "\r\n"), width-10, "…")
			fmt.Fprintf(&b, "  %s %s\n", faint.Render("prints"), printed)
		}
	}
	if s.Event == step.Ended {
		fmt.Fprintf(&b, "\n  %s\n", ansi.Wrap(d.End.Message, width-4, ""))
		if d.Unmeasured != "" {
			fmt.Fprintf(&b, "  %s\n", ansi.Wrap("Allocations are not known: "+d.Unmeasured, width-4, ""))
		}
	}
	return b.String()
}

var eventWords = map[string]string{
	step.Called: ", called", step.Executed: "", step.Returned: ", returns", step.Ended: ", the end",
}

func nthLine(text string, n int) string {
	lines := strings.Split(text, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return strings.ReplaceAll(lines[n-1], "\t", "    ")
}

// A picture is a step that is being drawn.
type picture struct {
	document *step.Document
	step     *step.Step
	text     step.Text
}

func (p *picture) function(f step.Frame) string { return p.document.Functions[f.Function].Name }

// stack draws the frames, and what lives on the stack without a frame of its own.
func (p *picture) stack(width int) (lines []string) {
	add := func(indent, text string, style *lipgloss.Style) {
		for i, line := range strings.Split(ansi.Wrap(text, width-len(indent)-2, ""), "\n") {
			if i > 0 {
				line = "  " + line
			}
			if style != nil {
				line = style.Render(line)
			}
			lines = append(lines, indent+line)
		}
	}
	goroutine := 0
	for _, f := range p.step.Stack {
		if f.Goroutine != goroutine {
			goroutine = f.Goroutine
			if goroutine != 1 || p.step.Goroutine != 1 {
				mark := ""
				if goroutine == p.step.Goroutine {
					mark = ", running"
				}
				add("", fmt.Sprintf("goroutine %d%s", goroutine, mark), &faint)
			}
		}
		title := fmt.Sprintf("%s, line %d", p.function(f), f.Line)
		switch f.Inlined {
		case "yes":
			title += " (inlined: part of its caller's frame)"
		case step.NotKnown:
			title += " (inlined or not: not known)"
		}
		add("", title, &bold)
		for _, s := range f.Slots {
			p.slot(s, add)
		}
	}
	if len(p.step.Globals) > 0 {
		add("", "package", &bold)
		for _, g := range p.step.Globals {
			p.slot(g, add)
		}
	}
	for _, o := range p.step.Elsewhere {
		title := fmt.Sprintf("#%d %s", o.ID, strings.TrimSpace(o.Name+" "+o.Type))
		if o.Place == step.NotKnown {
			title += ", stack or heap: not known"
		} else {
			title += ", on the stack"
		}
		add("", title, &bold)
		add("  ", p.text.Value(o.Value), nil)
		add("  ", o.Reason, &faint)
	}
	return lines
}

func (p *picture) slot(s step.Slot, add func(indent, text string, style *lipgloss.Style)) {
	name := s.Name
	if s.Role == "captured" || s.Role == "result" && s.Name != "result" {
		name += " (" + s.Role + ")"
	}
	switch s.Place {
	case step.OnHeap:
		add("  ", fmt.Sprintf("%s → #%d", name, s.ID), nil)
	case step.NotKnown:
		add("  ", fmt.Sprintf("%s = %s (stack or heap: not known)", name, p.text.Value(s.Value)), nil)
	default:
		add("  ", fmt.Sprintf("%s = %s", name, p.text.Value(s.Value)), nil)
	}
}

// heap draws the objects on the heap. If several objects have the same reason, it is written once.
func (p *picture) heap(width int) (lines []string) {
	told := map[string]int{}
	for _, o := range p.step.Heap {
		title := fmt.Sprintf("#%d", o.ID)
		if o.Name != "" {
			title += " " + o.Name
		}
		if o.Type != "" {
			title += " " + o.Type
		}
		if o.Count > 1 {
			title += fmt.Sprintf(" ×%d", o.Count)
		}
		title += fmt.Sprintf(", %d B", o.Bytes)
		if o.Line > 0 {
			title += fmt.Sprintf(", line %d", o.Line)
		}
		style := bold
		if o.Garbage {
			title += ", garbage"
			style = faint
		}
		put := func(indent, text string, style lipgloss.Style) {
			for line := range strings.SplitSeq(ansi.Wrap(text, width-len(indent), ""), "\n") {
				lines = append(lines, indent+style.Render(line))
			}
		}
		put("", title, style)
		if !o.Garbage && o.Value.Kind != "unknown" {
			put("  ", p.text.Value(o.Value), lipgloss.NewStyle())
		}
		if !o.Garbage {
			reason := o.Reason
			if first := told[reason]; first > 0 {
				reason = fmt.Sprintf("for the same reason as #%d", first)
			} else {
				told[reason] = o.ID
			}
			put("  ", reason, faint)
		}
	}
	return lines
}
