package step

import (
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/harness/wire"
	"onthestack/internal/profile"
)

// place decides where each region is, and which counted objects no region shows.
func (j *joiner) place() {
	candidates := map[*measuredLine][]*region{}
	for _, c := range j.memory {
		c.size = int(c.memory.size)
		if c.variable >= 0 {
			j.placeVariable(c)
		} else if !c.heap {
			c.place, c.why = Static, "it is part of the program's data"
		} else {
			j.locate(c)
		}
		if c.line != nil {
			candidates[c.line] = append(candidates[c.line], c)
		}
	}
	for i := range j.measured.lines {
		l := &j.measured.lines[i]
		j.match(l, candidates[l])
	}
	j.placeSharing()
	for _, c := range j.memory {
		if c.place == "" {
			j.placeUncounted(c)
		}
	}
}

// placeSharing decides which regions are among the tiny objects that were counted in the blocks of others. The blocks
// are counted where they were opened, so these objects have no bytes of their own.
func (j *joiner) placeSharing() {
	const shares = "it shares a block of 16 bytes with another tiny object"
	left := j.measured.sharing
	for _, c := range j.memory {
		if left == 0 {
			return
		}
		if c.counted || c.memory.size >= profile.TinyBlock || c.place != "" && c.place != OnHeap {
			continue
		}
		if c.place == "" {
			reported := j.report.announced(c.at)
			if c.variable >= 0 || c.first == 0 || reported.heap == 0 || reported.stays > 0 {
				continue
			}
			c.place, c.why = OnHeap, reported.why
		}
		c.why += "; " + shares
		c.size = 0
		left--
	}
	if left > 0 && j.complete && len(j.snapshots) > 0 {
		j.unseen = append(j.unseen, &unseen{
			line: Line{
				Reason: "tiny objects that share blocks of 16 bytes with others: which lines made them is not known",
			},
			count: left, from: len(j.snapshots) - 1, undated: true,
		})
	}
}

// placeVariable decides where a variable is. One that the compiler moves to the heap is a candidate for the objects
// counted on the line of its declaration.
func (j *joiner) placeVariable(c *region) {
	v := j.program.vars[c.variable]
	c.at = v.place
	if v.role == global {
		c.place, c.why = Static, "a variable of the package"
		return
	}
	if c.why = j.report.moved(c.variable); c.why == "" {
		c.place, c.why = OnStack, "the compiler keeps it in the frame"
		return
	}
	if j.frames[c.frame] == "no" { // the function was not inlined into its caller
		c.place = OnHeap
	}
	c.line = j.measuredLine(v.place.file, v.place.line, v.place.line, c)
}

// locate finds the statement that made an object: the one that was executed before the object was first seen.
func (j *joiner) locate(c *region) {
	s := j.snapshots[c.first]
	stack := s.stackOf(s.goroutine)
	i := len(stack) - 1
	if s.event == wire.EventBegan {
		i-- // its arguments were made by the caller
	}
	if i < 0 {
		return
	}
	site := j.program.sites[stack[i].site]
	c.at = site.place
	c.frame = stack[i].id
	c.line = j.measuredLine(site.place.file, site.place.line, site.end, c)
	if c.line != nil {
		c.at = c.line.place()
	}
}

func (s *snapshot) stackOf(goroutine int) (stack []frame) {
	for _, f := range s.frames {
		if f.goroutine == goroutine {
			stack = append(stack, f)
		}
	}
	return stack
}

// measuredLine returns the line from first to last that allocated an object into which the region fits best.
func (j *joiner) measuredLine(file string, first, last int, c *region) (best *measuredLine) {
	least := 0
	for i := range j.measured.lines {
		l := &j.measured.lines[i]
		if l.File != file || l.Line.Line < first || l.Line.Line > last {
			continue
		}
		if size, ok := l.fit(c); ok && (best == nil || size < least) {
			best, least = l, size
		}
	}
	return best
}

// fit returns the smallest size of the line's objects that a region fits into. The allocator rounds up by less than
// half, and small objects by less than 16 bytes.
func (l *measuredLine) fit(c *region) (size int, ok bool) {
	n := int(c.memory.size)
	for _, s := range l.sizes {
		if s.size >= n && (s.size < n+n/2+profile.TinyBlock || c.atLeast()) {
			return s.size, true
		}
	}
	return 0, false
}

// atLeast reports whether memory.size is only a lower bound on the size of the object: a closure may keep copies of
// large variables, and a channel has a buffer.
func (c *region) atLeast() bool {
	return c.value.kind == wire.KindCaptures || strings.HasPrefix(c.typ, "chan ") || strings.Contains(c.typ, "<-chan ")
}

// match assigns the objects that were counted on a line to the regions that were seen there. If there are more regions
// of a size than were counted, it is not known which of them the counted ones are.
func (j *joiner) match(l *measuredLine, regions []*region) {
	for _, s := range l.sizes {
		var fitting []*region
		for _, c := range regions {
			if size, _ := l.fit(c); size == s.size {
				fitting = append(fitting, c)
			}
		}
		left := s.count
		certain := len(fitting) <= s.count
		for _, c := range fitting {
			if c.place == OnHeap && left > 0 {
				left--
				c.size, c.counted = s.size, true
			}
		}
		for _, c := range fitting {
			switch {
			case c.place != "":
			case certain && left > 0:
				left--
				c.place, c.size, c.counted = OnHeap, s.size, true
				if c.why == "" {
					c.why = l.Reason
				}
			default:
				c.place, c.why = NotKnown, fmt.Sprintf("the line makes more of these than the %d that were counted on "+
					"the heap: the others are on the stack", s.count)
			}
		}
		if left > 0 && j.complete {
			j.addUnseen(l.Line, s.size, left)
		}
	}
}

// maxUnseen bounds the objects that no region shows and that are drawn for each execution of a line.
const maxUnseen = 10_000

// addUnseen adds objects that were counted and that no region shows. If each execution of the line makes as many, they
// appear with each; otherwise all appear with the last.
func (j *joiner) addUnseen(l Line, size, count int) {
	var executions []int
	last := 0
	for n, s := range j.snapshots {
		stack := s.stackOf(s.goroutine)
		if len(stack) == 0 || s.event == wire.EventBegan {
			continue
		}
		site := j.program.sites[stack[len(stack)-1].site]
		if site.place.file == l.File && site.place.line <= l.Line && l.Line <= site.end {
			// A return statement is executed once, and so is each statement of a line.
			executions = append(executions, n)
		}
		last = n
	}
	k := len(executions)
	if k > 0 && count%k == 0 && len(j.unseen) < maxUnseen {
		for _, n := range executions {
			j.unseen = append(j.unseen, &unseen{line: l, size: size, count: count / k, from: n})
		}
		return
	}
	if k > 0 {
		last = executions[k-1]
	}
	j.unseen = append(j.unseen, &unseen{line: l, size: size, count: count, from: last, undated: true})
}

// placeUncounted decides where an object is for which nothing was counted.
func (j *joiner) placeUncounted(c *region) {
	reported := j.report.announced(c.at)
	heap, stays, why := reported.heap, reported.stays, reported.why
	switch {
	case c.first == 0 && c.variable < 0:
		c.place, c.why = Static, "it was made before the program's own code began"
	case j.measured.missing == "" && j.complete && c.variable < 0 && !j.countedBy(c) && j.madeInitializing(c):
		c.place, c.why = Static, "nothing was counted on the heap for this line: the compiler laid it out in the "+
			"program's data"
	case j.measured.missing == "" && c.variable >= 0:
		c.place, c.why = OnStack, "its function is inlined here, and the caller's frame has it"
	case j.measured.sharing > 0 && c.memory.size < profile.TinyBlock && stays == 0:
		c.place, c.why = NotKnown, "tiny objects share blocks of 16 bytes, and not all of them are recorded"
	case j.measured.missing == "" && j.complete && c.at.line > 0 && !j.countedBy(c):
		c.place = OnStack
		c.why = "nothing was counted on the heap for this line"
		if stays > 0 && heap == 0 {
			c.why = why
		}
	case j.measured.missing != "" && c.variable < 0 && heap > 0 && stays == 0:
		c.place, c.why = OnHeap, why
	case c.variable < 0 && stays > 0 && heap == 0:
		c.place, c.why = OnStack, why
	case j.measured == pending:
		c.place, c.why = NotKnown, pending.missing
	default:
		c.place, c.why = NotKnown, "the compiler's report and the counts do not tell"
	}
}

// madeInitializing reports whether the function that initializes the package's variables made a region.
func (j *joiner) madeInitializing(c *region) bool {
	return slices.ContainsFunc(j.snapshots[c.first].frames, func(f frame) bool {
		return f.id == c.frame && j.program.functions[f.function].name == initialization
	})
}

// countedBy reports whether something was counted on the line that made a region.
func (j *joiner) countedBy(c *region) bool {
	return slices.ContainsFunc(j.measured.lines, func(l measuredLine) bool { return l.place() == c.at.onLine() })
}
