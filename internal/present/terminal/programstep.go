package terminal

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/present"
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
	return beside(drawn[0], drawn[1], column+4)
}

// beside returns two texts beside each other, the left one in that many columns.
func beside(left, right string, columns int) string {
	var b strings.Builder
	left = lipgloss.NewStyle().Width(columns).Render(left)
	for line := range strings.Lines(lipgloss.JoinHorizontal(lipgloss.Top, left, right)) {
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
	between, left := "   ", width*2/5
	right := width - left - 4
	if narrow {
		between, left, right = "\n", width-2, width-2
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s   %s:%d%s%s%s with %d B so far\n", bold.Render(fmt.Sprintf("step %d of %d", n+1, len(d.Steps))),
		s.File, s.Line, eventWords[s.Event], between, present.Plural(s.Allocs, "alloc"), s.Bytes)
	source := Options{Source: func(file string) []byte { return []byte(d.Files[file]) }}
	if code, _ := line(source, s.File, s.Line); code != "" {
		numberedLine(&b, s.Line, code, width)
	}
	b.WriteByte('\n')
	stack, heap := p.stack(left), p.heap(right)
	if narrow {
		b.WriteString(stack + "\n\n" + heap + "\n")
	} else {
		b.WriteString(beside(stack, heap, left+2))
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

// A picture is a step that is being drawn.
type picture struct {
	document *step.Document
	step     *step.Step
	text     step.Text
}

// A column is lines of text behind a margin of two blanks. The first line is its heading.
type column struct {
	width int    // without the margin
	hang  string // before the lines of a text except the first
	lines []string
}

// add adds a text, wrapped to the column.
func (c *column) add(indent, text string, style lipgloss.Style) {
	for i, line := range strings.Split(ansi.Wrap(text, c.width-len(indent)-len(c.hang), ""), "\n") {
		if i > 0 {
			line = c.hang + line
		}
		c.lines = append(c.lines, strings.TrimRight("  "+indent+style.Render(line), " "))
	}
}

func (c *column) String() string { return strings.Join(c.lines, "\n") }

// stack draws the frames, and what lives on the stack without a frame of its own.
func (p *picture) stack(width int) string {
	c := &column{width: width, hang: "  "}
	c.add("", "stack", bold)
	goroutine := 0
	for _, f := range p.step.Stack {
		if f.Goroutine != goroutine {
			goroutine = f.Goroutine
			if goroutine != 1 || p.step.Goroutine != 1 {
				mark := ""
				if goroutine == p.step.Goroutine {
					mark = ", running"
				}
				c.add("", fmt.Sprintf("goroutine %d%s", goroutine, mark), faint)
			}
		}
		title := fmt.Sprintf("%s, line %d", p.document.Functions[f.Function].Name, f.Line)
		switch f.Inlined {
		case "yes":
			title += " (inlined: part of its caller's frame)"
		case step.NotKnown:
			title += " (inlined or not: not known)"
		}
		c.add("", title, bold)
		for _, s := range f.Slots {
			p.slot(c, s)
		}
	}
	if len(p.step.Globals) > 0 {
		c.add("", "package", bold)
		for _, g := range p.step.Globals {
			p.slot(c, g)
		}
	}
	for _, o := range p.step.Elsewhere {
		title := named(o)
		if o.Place == step.NotKnown {
			title += ", stack or heap: not known"
		} else {
			title += ", on the stack"
		}
		c.add("", title, bold)
		c.add("  ", p.text.Value(o.Value), unstyled)
		c.add("  ", o.Reason, faint)
	}
	return c.String()
}

func (p *picture) slot(c *column, s step.Slot) {
	text := s.Name
	if s.Role == "captured" || s.Role == "result" && s.Name != "result" {
		text += " (" + s.Role + ")"
	}
	if s.Place == step.OnHeap {
		text += fmt.Sprintf(" → #%d", s.ID)
	} else {
		text += " = " + p.text.Value(s.Value)
	}
	if s.Place == step.NotKnown {
		text += " (stack or heap: not known)"
	}
	c.add("  ", text, unstyled)
}

// heap draws the objects on the heap. If several objects have the same reason, it is written once.
func (p *picture) heap(width int) string {
	c := &column{width: width}
	c.add("", "heap", bold)
	if len(p.step.Heap) == 0 {
		c.add("", "nothing", faint)
	}
	shown := map[string]int{}
	for _, o := range p.step.Heap {
		title := named(o)
		if o.Count > 1 {
			title += fmt.Sprintf(" ×%d", o.Count)
		}
		title += fmt.Sprintf(", %d B", o.Bytes)
		if o.Line > 0 {
			title += fmt.Sprintf(", line %d", o.Line)
		}
		if o.Garbage {
			c.add("", title+", garbage", faint)
			continue
		}
		c.add("", title, bold)
		if o.Value.Kind != "unknown" {
			c.add("  ", p.text.Value(o.Value), unstyled)
		}
		reason := o.Reason
		if first := shown[reason]; first > 0 {
			reason = fmt.Sprintf("for the same reason as #%d", first)
		} else {
			shown[reason] = o.ID
		}
		c.add("  ", reason, faint)
	}
	return c.String()
}

// named returns the number of an object with its name and type, as far as they are known.
func named(o step.Object) string {
	return strings.TrimRight(fmt.Sprintf("#%d %s", o.ID, strings.TrimSpace(o.Name+" "+o.Type)), " ")
}
