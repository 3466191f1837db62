package step

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/escape"
	"onthestack/internal/execution"
	"onthestack/internal/harness/wire"
)

// A joiner makes the Document from the three builds of a program.
type joiner struct {
	program   *program
	report    *placement
	measured  *measurement
	snapshots []*snapshot
	types     []string
	memory    memory
	frames    map[int]string // whether a frame is inlined, by id
	unseen    []*unseen
	complete  bool // the snapshots reach the program's end

	drawn int // variables and objects, in the steps so far
	bytes int // about how many bytes these have in JSON, without the names of members
}

// unseen is a number of objects that were counted, but that no variable leads to.
type unseen struct {
	line    Line
	size    int // of each
	count   int
	from    int // the snapshot from which they are there
	undated bool
	id      int
}

// join makes the Document.
func join(p *program, diagnostics []escape.Diagnostic, m *measurement, r *execution.Recording) *Document {
	j := &joiner{program: p, report: newPlacement(p, diagnostics), measured: m, frames: map[int]string{}}
	d := Failed("")
	if d.Pending = m == pending; !d.Pending {
		d.Unmeasured = m.missing
	}
	for name, text := range p.files {
		d.Files[name] = string(text)
	}
	for _, f := range p.functions {
		d.Functions = append(d.Functions, j.report.function(f))
	}
	for _, l := range m.lines {
		d.Lines = append(d.Lines, l.Line)
	}
	output := j.decode(r, d)
	j.inline()
	j.memory = newMemory(p, j.snapshots)
	j.lastReached()
	j.place()
	j.number()
	printed := 0
	for n, s := range j.snapshots {
		step := j.step(n, s)
		if j.drawn > maxDrawn || j.bytes > maxBytes {
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
	return d
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
			d.End = End{EndBroken, r.Exit, "the program wrote to the channel on which its steps are recorded: " +
				"the steps end before that"}
		case limit == wire.TooDeep:
			d.End = End{EndSteps, 0, fmt.Sprintf("the program nests more than %d calls: these are the steps before",
				wire.MaxCalls)}
		case limit == wire.TooLong:
			d.End = End{EndSteps, 0, fmt.Sprintf("the program has more than %d steps: these are the first",
				wire.MaxSteps)}
		case s != nil && len(j.snapshots) < wire.MaxSteps:
			s.output = len(output)
			j.snapshots = append(j.snapshots, s)
			continue
		case s == nil:
			continue
		}
		break
	}
	switch d.End.Kind {
	case EndBroken, EndSteps:
		printed := 0
		if n := len(j.snapshots); n > 0 {
			printed = j.snapshots[n-1].output
		}
		output = output[:printed]
		fallthrough
	case EndStopped:
		d.Cut = d.End.Message
	}
	j.types = dec.types
	j.complete = d.Cut == ""
	return output
}

// endOf says how a run ended. The message of the runtime is on stderr, where the program itself may have written it;
// the program then deceives only its own reader.
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
	return slices.ContainsFunc(s.frames[:i], func(f frame) bool {
		return f.goroutine == s.frames[i].goroutine && f.function == s.frames[i].function
	})
}

// typeName returns the name of the type with that number, "" for none.
func (j *joiner) typeName(number int) string {
	if number == 0 {
		return ""
	}
	return j.types[number-1]
}

// shown returns the slots of a frame that are in scope, with the results at the function's end.
func (j *joiner) shown(s *snapshot, f frame) (slots []slot) {
	site := j.program.sites[f.site]
	at := site.before
	stack := s.stackOf(f.goroutine)
	current := f.goroutine == s.goroutine && f.id == stack[len(stack)-1].id
	if current && s.event == wire.EventExecuted {
		at = site.after
	}
	fn := j.program.functions[f.function]
	for _, v := range f.slots {
		unnamed := v.variable >= fn.first && v.variable < fn.first+fn.count
		declared := j.program.vars[v.variable]
		if declared.from <= at && at <= declared.to || unnamed && current && s.event == wire.EventEnded {
			slots = append(slots, v)
		}
	}
	return slots
}

// lastReached finds for each region the last snapshot in which something leads to it, and its last value.
func (j *joiner) lastReached() {
	for n, s := range j.snapshots {
		values := map[*region][]value{}
		see := func(at content) {
			c := j.memory.find(at.memory.at)
			if c == nil {
				return
			}
			values[c] = append(values[c], at.value)
			if at.memory == c.memory || c.typ == "" {
				c.value = at.value
				c.typ = cmp.Or(j.typeName(at.typ), c.typ)
			}
		}
		for _, o := range s.objects {
			see(o.content)
		}
		hidden := s.cut
		seen := map[*region]bool{}
		var visit func(v value)
		visit = func(v value) {
			hidden = hidden || v.hidden()
			v.targets(func(at uint64) {
				c := j.memory.find(at)
				if c == nil || seen[c] {
					return
				}
				seen[c] = true
				c.last = n
				for _, inside := range values[c] {
					visit(inside)
				}
			})
		}
		roots := slices.Clone(s.globals)
		for _, f := range s.frames {
			roots = append(roots, j.shown(s, f)...)
		}
		for _, r := range roots {
			see(r.content)
		}
		for _, r := range roots {
			if c := j.memory.find(r.memory.at); c != nil {
				c.last = n
				seen[c] = true
			}
			visit(r.value)
		}
		if hidden {
			for _, c := range j.memory {
				// A value that cannot be read does not lead to a frame that has ended.
				if c.first <= n && (c.variable < 0 || j.report.moved(c.variable) != "") {
					c.last = n
				}
			}
		}
	}
}
