package step

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/step/recorder"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A joiner makes the Document from the three builds of a program.
type joiner struct {
	program   *program
	report    *placement
	measured  *measurement
	snapshots []*snapshot
	types     []string
	memory    *memory
	frames    map[int]string // whether a frame is inlined, by id
	unseen    []*unseen
	complete  bool // the snapshots reach the program's end
}

// unseen is a number of objects that were counted, but that no variable leads to.
type unseen struct {
	line    *measuredLine
	size    int // of each
	count   int
	from    int // the snapshot from which they are there
	undated bool
	id      int
}

// join makes the Document.
func join(p *program, diagnostics []escape.Diagnostic, m *measurement, r *execution.Recording) (*Document, error) {
	j := &joiner{program: p, report: newPlacement(p, diagnostics), measured: m, frames: map[int]string{}}
	d := failed("")
	d.Unmeasured = m.missing
	for name, text := range p.files {
		d.Files[name] = string(text)
	}
	for _, f := range p.functions {
		d.Functions = append(d.Functions, j.report.function(f))
	}
	for _, l := range m.lines {
		d.Lines = append(d.Lines, Line{l.file, l.line, l.allocs, l.bytes, l.why, l.shared})
	}
	output := j.decode(r, d)
	j.inline()
	j.memory = newMemory(p, j.snapshots)
	j.lastReached()
	j.place()
	j.number()
	printed, drawn, encoded := 0, 0, 0
	for n, s := range j.snapshots {
		step := j.step(n, s)
		text, err := json.Marshal(step)
		if err != nil {
			return nil, fmt.Errorf("encode step %d: %w", n+1, err)
		}
		encoded += len(text)
		if drawn += step.size(); drawn > maxDrawn || encoded > maxEncoded {
			d.End = End{EndSteps, 0, "the program makes more objects than can be drawn: these are its first steps"}
			d.Cut = d.End.Message
			output = output[:printed]
			break
		}
		step.Output = strings.Join(output[printed:s.output], "")
		printed = s.output
		d.Steps = append(d.Steps, step)
	}
	j.end(d, strings.Join(output[printed:], ""))
	d.narrate()
	return d, nil
}

// Bounds on all steps of a Document together: their variables and objects, and their bytes in JSON, which a page has to
// fetch.
const (
	maxDrawn   = 100_000
	maxEncoded = 8 << 20
)

// size returns the number of variables and objects in a step.
func (s *Step) size() int {
	n := len(s.Globals) + len(s.Heap) + len(s.Elsewhere)
	for _, f := range s.Stack {
		n += 1 + len(f.Slots)
	}
	return n
}

// decode reads the recording up to the first message that is not valid. It returns what the program printed, in pieces
// that Step.output counts.
func (j *joiner) decode(r *execution.Recording, d *Document) (output []string) {
	dec := &decoder{program: j.program}
	left := maxOutput
	d.End = endOf(r)
	for _, piece := range r.Pieces {
		if piece.Kind != execution.Report {
			text := strings.ToValidUTF8(string(piece.Text[:min(len(piece.Text), left)]), "\uFFFD")
			left -= min(len(piece.Text), left)
			output = append(output, text)
			continue
		}
		s, limit, err := dec.message(piece.Text)
		switch {
		case err != nil:
			d.End = End{EndBroken, r.Exit, "the program wrote to the channel on which its steps are recorded: the steps " +
				"end before that"}
			d.Cut = d.End.Message
		case limit == recorder.TooDeep:
			d.End = End{EndSteps, 0, fmt.Sprintf("the program nests more than %d calls: these are the steps before",
				recorder.MaxCalls)}
			d.Cut = d.End.Message
		case limit == recorder.TooLong:
			d.End = End{EndSteps, 0, fmt.Sprintf("the program has more than %d steps: these are the first", recorder.MaxSteps)}
			d.Cut = d.End.Message
		case s != nil && len(j.snapshots) < recorder.MaxSteps:
			s.output = len(output)
			j.snapshots = append(j.snapshots, s)
			continue
		case s == nil:
			continue
		}
		break
	}
	if d.End.Kind == EndStopped && d.Cut == "" {
		d.Cut = d.End.Message
	}
	if d.End.Kind == EndBroken || d.End.Kind == EndSteps {
		output = output[:min(len(output), lastOutput(j.snapshots))]
	}
	j.types = dec.types
	j.complete = d.Cut == ""
	return output
}

func lastOutput(s []*snapshot) int {
	if len(s) == 0 {
		return 0
	}
	return s[len(s)-1].output
}

// endOf says how a run ended. The message of the runtime is on stderr, where the program itself may have written it; the
// program then deceives only its own reader.
func endOf(r *execution.Recording) End {
	var stderr strings.Builder
	for _, p := range r.Pieces {
		if p.Kind == execution.Stderr && stderr.Len() < maxOutput {
			stderr.Write(p.Text)
		}
	}
	message := ""
	for line := range strings.Lines(stderr.String()) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			message = strings.ToValidUTF8(strings.TrimSpace(line), "\uFFFD")
		}
	}
	switch {
	case r.Stop.Kind != execution.NotStopped:
		return End{EndStopped, r.Exit, "the program " + r.Stop.String()}
	case r.Exit == 2 && message != "":
		return End{EndPanicked, 2, message[:min(len(message), 400)]}
	case r.Exit != 0:
		return End{EndExited, r.Exit, fmt.Sprintf("the program exited with code %d", r.Exit)}
	}
	return End{EndReturned, 0, "the program ended"}
}

// inline decides for each frame whether its function was inlined.
func (j *joiner) inline() {
	for _, s := range j.snapshots {
		for i, f := range s.frames {
			if _, known := j.frames[f.id]; known {
				continue
			}
			if i == 0 || s.frames[i-1].goroutine != f.goroutine {
				j.frames[f.id] = "no" // a goroutine begins with it
				continue
			}
			inlined := j.report.inlined(j.program.functions[f.function], j.program.sites[s.frames[i-1].site])
			if inlined == "yes" && s.recursive(i) {
				inlined = NotKnown // the compiler inlines a few levels of a recursion, and reports them alike
			}
			j.frames[f.id] = inlined
		}
	}
}

// recursive reports whether a frame of the same goroutine before frame i has its function.
func (s *snapshot) recursive(i int) bool {
	for _, f := range s.frames[:i] {
		if f.goroutine == s.frames[i].goroutine && f.function == s.frames[i].function {
			return true
		}
	}
	return false
}

// shown returns the slots of a frame that are in scope, with the results at the function's end.
func (j *joiner) shown(s *snapshot, f frame) (slots []slot) {
	site := j.program.sites[f.site]
	scope := site.before
	current := f.goroutine == s.goroutine && s.innermost(f)
	if current && s.event == recorder.Executed {
		scope = site.after
	}
	fn := j.program.functions[f.function]
	for _, v := range f.slots {
		unnamed := v.variable >= fn.first && v.variable < fn.first+fn.count
		if slices.Contains(scope, v.variable) || unnamed && current && s.event == recorder.Ended {
			slots = append(slots, v)
		}
	}
	return slots
}

// innermost reports whether a frame is the innermost of its goroutine.
func (s *snapshot) innermost(f frame) bool {
	for _, other := range slices.Backward(s.frames) {
		if other.goroutine == f.goroutine {
			return other.id == f.id
		}
	}
	return false
}

// lastReached finds for each cell the last snapshot in which something leads to it, and its last value.
func (j *joiner) lastReached() {
	for n, s := range j.snapshots {
		values := map[*cell][]value{}
		see := func(memory span, typ int, v value) {
			c := j.memory.find(memory.at)
			if c == nil {
				return
			}
			values[c] = append(values[c], v)
			if memory == c.memory || c.typ == "" {
				c.value = v
				if typ > 0 {
					c.typ = j.types[typ-1]
				}
			}
		}
		for _, o := range s.objects {
			see(o.memory, o.typ, o.value)
		}
		hidden := s.cut
		seen := map[*cell]bool{}
		var reach func(v value)
		reach = func(v value) {
			hidden = hidden || v.hidden()
			v.targets(func(at uint64) {
				c := j.memory.find(at)
				if c == nil || seen[c] {
					return
				}
				seen[c] = true
				c.last = n
				for _, inside := range values[c] {
					reach(inside)
				}
			})
		}
		roots := slices.Clone(s.globals)
		for _, f := range s.frames {
			roots = append(roots, j.shown(s, f)...)
		}
		for _, r := range roots {
			see(r.memory, r.typ, r.value)
		}
		for _, r := range roots {
			if c := j.memory.find(r.memory.at); c != nil {
				c.last = n
				seen[c] = true
			}
			reach(r.value)
		}
		if hidden {
			for _, c := range j.memory.cells {
				// What cannot be read does not lead to a frame that has ended.
				if c.first <= n && (c.variable < 0 || j.mayBeHeap(c)) {
					c.last = n
				}
			}
		}
	}
}

func (j *joiner) mayBeHeap(c *cell) bool {
	_, moved := j.report.moved(c.variable)
	return moved
}

// place decides where each cell is, and which counted objects no cell shows.
func (j *joiner) place() {
	candidates := map[*measuredLine][]*cell{}
	for _, c := range j.memory.cells {
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
	for _, c := range j.memory.cells {
		if c.place == "" {
			j.placeUncounted(c)
		}
	}
}

// placeSharing decides which cells are among the tiny objects that were counted in the blocks of others. The blocks are
// counted where they were opened, so these objects have no bytes of their own.
func (j *joiner) placeSharing() {
	const shares = "it shares a block of 16 bytes with another tiny object"
	left := j.measured.sharing
	for _, c := range j.memory.cells {
		if left == 0 {
			return
		}
		if c.counted || c.memory.size >= tinyBlock || c.place != "" && c.place != OnHeap {
			continue
		}
		if c.place == "" {
			reported := j.report.announced(c.at.file, c.at.line)
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
			line:  &measuredLine{why: "tiny objects that share blocks of 16 bytes with others: which lines made them is not known"},
			count: left, from: len(j.snapshots) - 1, undated: true,
		})
	}
}

// placeVariable decides where a variable is. One that the compiler moves to the heap is a candidate for the objects
// counted on the line of its declaration.
func (j *joiner) placeVariable(c *cell) {
	v := j.program.vars[c.variable]
	c.at = v.place
	if v.role == global {
		c.place, c.why = Static, "a variable of the package"
		return
	}
	why, moved := j.report.moved(c.variable)
	if !moved {
		c.place, c.why = OnStack, "the compiler keeps it in the frame"
		return
	}
	c.why = why
	c.inlined = j.frames[c.frame] != "no"
	if !c.inlined {
		c.place = OnHeap
	}
	c.line = j.measuredLine(v.place.file, v.place.line, v.place.line, c)
}

// locate finds the statement that made an object: the one that was executed before the object was first seen.
func (j *joiner) locate(c *cell) {
	s := j.snapshots[c.first]
	stack := s.stackOf(s.goroutine)
	i := len(stack) - 1
	if s.event == recorder.Began {
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
		c.at = place{file: c.line.file, line: c.line.line}
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

// measuredLine returns the line from first to last that allocated an object into which the cell fits best.
func (j *joiner) measuredLine(file string, first, last int, c *cell) (best *measuredLine) {
	least := 0
	for i := range j.measured.lines {
		l := &j.measured.lines[i]
		if l.file != file || l.line < first || l.line > last {
			continue
		}
		if size, ok := l.fit(c); ok && (best == nil || size < least) {
			best, least = l, size
		}
	}
	return best
}

// fit returns the smallest size of the line's objects that a cell fits into. The allocator rounds up by less than half,
// and small objects by less than 16 bytes.
func (l *measuredLine) fit(c *cell) (size int, ok bool) {
	n := int(c.memory.size)
	for _, s := range l.sizes {
		if s.size >= n && (s.size < n+n/2+tinyBlock || c.atLeast()) {
			return s.size, true
		}
	}
	return 0, false
}

// atLeast reports whether the size of a cell is only known to be no less than that of its memory: a closure may keep
// copies of large variables, and a channel has a buffer.
func (c *cell) atLeast() bool {
	return c.value.kind == recorder.Captures || strings.HasPrefix(c.typ, "chan ") || strings.Contains(c.typ, "<-chan ")
}

// match assigns the objects that were counted on a line to the cells that were seen there. If there are more cells of a
// size than were counted, it is not known which of them the counted ones are.
func (j *joiner) match(l *measuredLine, cells []*cell) {
	for _, s := range l.sizes {
		var fitting []*cell
		for _, c := range cells {
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
					c.why = l.why
				}
			default:
				c.place, c.why = NotKnown, fmt.Sprintf("the line makes more of these than the %d that were counted on the "+
					"heap: the others are on the stack", s.count)
			}
		}
		if left > 0 && j.complete {
			j.addUnseen(l, s.size, left)
		}
	}
}

// maxUnseen bounds the objects that no cell shows and that are drawn for each execution of a line.
const maxUnseen = 10_000

// addUnseen adds objects that were counted and that no cell shows. If each execution of the line makes as many, they
// appear with each; otherwise all appear with the last.
func (j *joiner) addUnseen(l *measuredLine, size, count int) {
	var executions []int
	last := -1
	for n, s := range j.snapshots {
		stack := s.stackOf(s.goroutine)
		if len(stack) == 0 || s.event == recorder.Began {
			continue
		}
		site := j.program.sites[stack[len(stack)-1].site]
		if site.place.file == l.file && site.place.line <= l.line && l.line <= site.end {
			// A return statement is executed once, and so is each statement of a line.
			executions = append(executions, n)
		}
		last = n
	}
	switch k := len(executions); {
	case k > 0 && count%k == 0 && len(j.unseen) < maxUnseen:
		for _, n := range executions {
			j.unseen = append(j.unseen, &unseen{line: l, size: size, count: count / k, from: n})
		}
	case k > 0:
		j.unseen = append(j.unseen, &unseen{line: l, size: size, count: count, from: executions[k-1], undated: true})
	default:
		j.unseen = append(j.unseen, &unseen{line: l, size: size, count: count, from: max(last, 0), undated: true})
	}
}

// placeUncounted decides where an object is for which nothing was counted.
func (j *joiner) placeUncounted(c *cell) {
	file, line := c.at.file, c.at.line
	reported := j.report.announced(file, line)
	heap, stays, why := reported.heap, reported.stays, reported.why
	switch {
	case c.first == 0 && c.variable < 0:
		c.place, c.why = Static, "it was made before main began"
	case j.measured.missing == "" && c.variable >= 0:
		c.place, c.why = OnStack, "its function is inlined here, and the caller's frame has it"
	case j.measured.sharing > 0 && c.memory.size < tinyBlock && stays == 0:
		c.place, c.why = NotKnown, "tiny objects share blocks of 16 bytes, and not all of them are recorded"
	case j.measured.missing == "" && j.complete && line > 0 && !j.countedBy(c):
		c.place = OnStack
		c.why = "nothing was counted on the heap for this line"
		if stays > 0 && heap == 0 {
			c.why = why
		}
	case j.measured.missing != "" && c.variable < 0 && heap > 0 && stays == 0:
		c.place, c.why = OnHeap, why
	case c.variable < 0 && stays > 0 && heap == 0:
		c.place, c.why = OnStack, why
	default:
		c.place, c.why = NotKnown, "the compiler's report and the counts do not tell"
	}
}

// countedBy reports whether something was counted on the line that made a cell.
func (j *joiner) countedBy(c *cell) bool {
	return slices.ContainsFunc(j.measured.lines, func(l measuredLine) bool {
		return l.file == c.at.file && l.line == c.at.line
	})
}

// number gives ids to the objects in the order in which they appear, and then to the variables in frames.
func (j *joiner) number() {
	type numbered struct {
		first int
		set   func(id int)
	}
	var objects, slots []numbered
	for _, c := range j.memory.cells {
		n := numbered{c.first, func(id int) { c.id = id }}
		switch {
		case c.place == OnHeap || c.variable < 0 && c.place != Static:
			objects = append(objects, n)
		case c.variable >= 0:
			slots = append(slots, n)
		}
	}
	for _, u := range j.unseen {
		objects = append(objects, numbered{u.from, func(id int) { u.id = id }})
	}
	id := 0
	for _, list := range [][]numbered{objects, slots} {
		slices.SortStableFunc(list, func(a, b numbered) int { return cmp.Compare(a.first, b.first) })
		for _, n := range list {
			id++
			n.set(id)
		}
	}
}

var events = map[byte]string{recorder.Began: Called, recorder.Executed: Executed, recorder.Ended: Returned}

// step draws one snapshot.
func (j *joiner) step(n int, s *snapshot) Step {
	out := Step{Event: events[s.event], Goroutine: s.goroutine, Stack: []Frame{}, Heap: []Object{}, Cut: s.cut}
	for _, f := range s.frames {
		site := j.program.sites[f.site]
		frame := Frame{
			ID: f.id, Goroutine: f.goroutine, Function: f.function, File: site.place.file, Line: site.place.line,
			Inlined: j.frames[f.id], Slots: []Slot{},
		}
		for _, v := range j.shown(s, f) {
			frame.Slots = append(frame.Slots, j.slot(v, v.variable))
		}
		out.Stack = append(out.Stack, frame)
		if f.goroutine == s.goroutine {
			out.File, out.Line = frame.File, frame.Line
		}
	}
	for _, g := range s.globals {
		out.Globals = append(out.Globals, j.slot(g, j.program.globals[g.variable]))
	}
	// A variable whose frame has ended can be reached if its function was inlined: the caller's frame has it.
	live := map[int]bool{}
	for _, f := range s.frames {
		live[f.id] = true
	}
	now := map[*cell]value{}
	types := map[*cell]int{}
	see := func(memory span, typ int, v value) {
		if c := j.memory.find(memory.at); c != nil && (memory == c.memory || types[c] == 0) {
			now[c], types[c] = v, typ
		}
	}
	for _, o := range s.objects {
		see(o.memory, o.typ, o.value)
	}
	for _, f := range s.frames {
		for _, v := range f.slots {
			see(v.memory, v.typ, v.value)
		}
	}
	for _, c := range j.memory.cells {
		if c.first > n || c.id == 0 || c.variable >= 0 && c.place != OnHeap && (live[c.frame] || c.place == Static) {
			continue
		}
		o := Object{
			ID: c.id, File: c.at.file, Line: c.at.line, Type: c.typ, Bytes: c.size, Count: 1, Place: c.place, Reason: c.why,
			Garbage: c.last < n,
		}
		if c.variable >= 0 {
			o.Name = j.program.vars[c.variable].name
		}
		if v, ok := now[c]; ok {
			o.Value = j.value(v)
		} else {
			o.Value = j.value(c.value)
		}
		if o.Value.Kind == "" || o.Value.Kind == "unknown" && c.typ == "" {
			o.Type, o.Value.Kind = cmp.Or(o.Type, "string data"), "unknown"
		}
		switch {
		case c.place == OnHeap:
			out.Heap = append(out.Heap, o)
			out.Allocs++
			out.Bytes += o.Bytes
		case !o.Garbage:
			out.Elsewhere = append(out.Elsewhere, o)
		}
	}
	for _, u := range j.unseen {
		if u.from > n {
			continue
		}
		out.Heap = append(out.Heap, Object{
			ID: u.id, File: u.line.file, Line: u.line.line, Bytes: u.size * u.count, Count: u.count, Place: OnHeap,
			Reason: u.line.why, Unseen: true, Undated: u.undated, Value: Value{Kind: "unknown"},
		})
		out.Allocs += u.count
		out.Bytes += u.size * u.count
	}
	byID := func(a, b Object) int { return cmp.Compare(a.ID, b.ID) }
	slices.SortFunc(out.Heap, byID)
	slices.SortFunc(out.Elsewhere, byID)
	return out
}

func (j *joiner) slot(v slot, variable int) Slot {
	declared := j.program.vars[variable]
	s := Slot{
		Name: declared.name, Role: string(declared.role), Bytes: int(v.memory.size), Place: NotKnown, Value: j.value(v.value),
	}
	if v.typ > 0 {
		s.Type = j.types[v.typ-1]
	}
	c := j.memory.find(v.memory.at)
	switch {
	case c != nil:
		s.ID, s.Place, s.Reason = c.id, c.place, c.why
	case s.Bytes == 0:
		s.Place, s.Reason = OnStack, "it has no size"
	}
	return s
}

// value draws a value.
func (j *joiner) value(v value) Value {
	out := Value{Kind: kindNames[v.kind], Text: v.text, Len: v.len, Cap: v.cap, Names: v.names}
	switch v.kind {
	case recorder.Pointer, recorder.Slice, recorder.Map, recorder.Chan, recorder.Func:
		out.Nil = v.at == 0
		out.To = j.target(v.at)
	case recorder.String:
		if v.len > 0 {
			out.To = j.target(v.at)
		}
	case recorder.Interface:
		out.Nil = v.typ == 0
		if v.typ > 0 {
			out.Type = j.types[v.typ-1]
		}
		out.To = j.target(v.at)
	case recorder.Captures:
		for i, at := range v.captures {
			if t := j.target(at); t != nil {
				out.Captures = append(out.Captures, *t)
			}
			if i < len(j.program.literals[v.literal].captures) {
				captured := j.program.literals[v.literal].captures[i]
				out.Names = append(out.Names, j.program.vars[captured].name)
				out.By = append(out.By, j.report.captures(captured))
			}
		}
	}
	for _, e := range v.elems {
		out.Elems = append(out.Elems, j.value(e))
	}
	return out
}

// target returns where an address leads, nil for address 0.
func (j *joiner) target(at uint64) *Target {
	if at == 0 {
		return nil
	}
	c := j.memory.find(at)
	if c == nil || c.id == 0 {
		return &Target{}
	}
	return &Target{c.id, int(at - c.memory.at)}
}

// end adds the last step, in which the program is over.
func (j *joiner) end(d *Document, output string) {
	last := Step{Event: Ended, Stack: []Frame{}, Heap: []Object{}}
	if n := len(d.Steps); n > 0 {
		previous := d.Steps[n-1]
		last.File, last.Line, last.Goroutine = previous.File, previous.Line, previous.Goroutine
		last.Stack, last.Globals, last.Heap, last.Elsewhere = previous.Stack, previous.Globals, previous.Heap, previous.Elsewhere
		last.Allocs, last.Bytes, last.Cut = previous.Allocs, previous.Bytes, previous.Cut
		if d.End.Kind == EndReturned || previous.Event == Returned && len(previous.Stack) == 1 {
			last.Stack, last.Elsewhere = []Frame{}, nil
		}
	}
	last.Output = output
	d.Steps = append(d.Steps, last)
}
