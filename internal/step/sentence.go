package step

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bounds on a Sentence: the changes that it names, and the length of each value and reason in it, in runes.
const (
	maxChanges = 6
	maxPhrase  = 140
)

// narrate writes the Sentence of each step.
func (d *Document) narrate() {
	before := &sentenceWriter{step: &Step{}}
	for n := range d.Steps {
		now := newTeller(d, n)
		d.Steps[n].Sentence = now.sentence(before)
		before = now
	}
}

// unknownPlace tells that a variable or an object is NotKnown to be on the heap.
func (d *Document) unknownPlace() string {
	if d.Pending {
		return "on the stack or the heap, which is being measured"
	}
	return "on the stack or the heap, which is not known"
}

// A sentenceWriter writes the sentence about a step.
type sentenceWriter struct {
	document *Document
	step     *Step
	text     Text
	slots    map[[2]int]*Slot // by the frame's id and their place in it
	objects  map[int]*Object  // by id
	reason   string           // the last one that was told
	before   *sentenceWriter  // of the step before
}

func newTeller(d *Document, n int) *sentenceWriter {
	t := &sentenceWriter{
		document: d, step: &d.Steps[n], text: d.Text(n),
		slots: map[[2]int]*Slot{}, objects: map[int]*Object{},
	}
	for i := range t.step.Stack {
		f := &t.step.Stack[i]
		for j := range f.Slots {
			t.slots[[2]int{f.ID, j}] = &f.Slots[j]
		}
	}
	for _, objects := range [][]Object{t.step.Heap, t.step.Elsewhere} {
		for i := range objects {
			t.objects[objects[i].ID] = &objects[i]
		}
	}
	return t
}

// sentence says what happened in the step, and what has changed since the step before.
func (t *sentenceWriter) sentence(before *sentenceWriter) string {
	s := t.step
	t.before = before
	place := fmt.Sprintf("Line %d", s.Line)
	if len(t.document.Files) > 1 {
		place = fmt.Sprintf("%s, line %d", s.File, s.Line)
	}
	if s.Goroutine > 1 {
		place += fmt.Sprintf(", goroutine %d", s.Goroutine)
	}
	var happened []string
	switch inner := t.innermost(); {
	case s.Event == Ended:
		happened = append(happened, t.document.End.Message)
	case inner == nil:
	case s.Event == Called:
		called := t.name(inner) + " is called"
		if inner.Inlined == "yes" {
			called += ", inlined into its caller: it has no frame of its own"
		}
		happened = append(happened, called)
	case s.Event == Returned:
		happened = append(happened, t.name(inner)+" returns")
	}
	changes := t.changes()
	if more := len(changes) - maxChanges; more > 0 {
		changes = append(changes[:maxChanges], fmt.Sprintf("%d more changes", more))
	}
	happened = append(happened, changes...)
	if s.Output != "" {
		happened = append(happened, "it prints "+phrase(fmt.Sprintf("%q", s.Output)))
	}
	if len(happened) == 0 {
		happened = append(happened, "nothing changes in memory")
	}
	return place + ": " + strings.Join(happened, "; ") + "."
}

// innermost returns the innermost frame of the goroutine that ran.
func (t *sentenceWriter) innermost() (inner *Frame) {
	for i := range t.step.Stack {
		if f := &t.step.Stack[i]; f.Goroutine == t.step.Goroutine {
			inner = f
		}
	}
	return inner
}

func (t *sentenceWriter) name(f *Frame) string { return t.document.Functions[f.Function].Name }

func (t *sentenceWriter) changes() (changes []string) {
	mentioned := map[int]bool{} // objects
	for i := range t.step.Stack {
		f := &t.step.Stack[i]
		for j := range f.Slots {
			slot := &f.Slots[j]
			old := t.before.slots[[2]int{f.ID, j}]
			if old != nil && old.Name == slot.Name && old.Place == slot.Place &&
				old.Value.equal(slot.Value) {
				continue
			}
			if slot.Place == OnHeap {
				// The object's own clause below tells its value, if the object is drawn.
				if old == nil || old.ID != slot.ID {
					changes = append(changes, t.slotOnHeap(f, slot))
					mentioned[slot.ID] = true
				} else if o := t.objects[slot.ID]; o != nil {
					changes = append(changes, fmt.Sprintf("%s of %s, heap object %d, %s", slot.Name, t.name(f), slot.ID,
						t.becomes(slot.Value)))
					mentioned[slot.ID] = true
				}
				continue
			}
			clause := fmt.Sprintf("%s of %s %s", slot.Name, t.name(f), t.becomes(slot.Value))
			if slot.Place == NotKnown {
				clause += ", " + t.document.unknownPlace()
			}
			changes = append(changes, clause)
		}
	}
	for i := range t.step.Globals {
		g := &t.step.Globals[i]
		if i < len(t.before.step.Globals) && !t.before.step.Globals[i].Value.equal(g.Value) {
			changes = append(changes, fmt.Sprintf("%s %s", g.Name, t.becomes(g.Value)))
		}
	}
	for i := range t.step.Heap {
		o := &t.step.Heap[i]
		switch old := t.before.objects[o.ID]; {
		case mentioned[o.ID]:
		case old == nil:
			changes = append(changes, t.madeObject(o))
		case o.Garbage && !old.Garbage:
			changes = append(changes, fmt.Sprintf("nothing leads to heap object %d any more: it is garbage", o.ID))
		case !o.Garbage && !old.Value.equal(o.Value):
			changes = append(changes, fmt.Sprintf("heap object %d %s", o.ID, t.becomes(o.Value)))
		}
	}
	return changes
}

func (t *sentenceWriter) slotOnHeap(f *Frame, slot *Slot) string {
	clause := fmt.Sprintf("%s of %s is heap object %d", slot.Name, t.name(f), slot.ID)
	if o := t.objects[slot.ID]; o != nil {
		clause += size(o)
		if reason := t.newReason(o.Reason); reason != "" {
			clause += ", because " + reason
		}
	}
	return clause
}

func (t *sentenceWriter) madeObject(o *Object) string {
	clause := fmt.Sprintf("heap object %d", o.ID)
	if o.Count > 1 {
		clause = fmt.Sprintf("heap object %d, which stands for %d objects", o.ID, o.Count)
	}
	if o.Type != "" {
		clause += ", " + phrase(o.Type)
	}
	clause += size(o)
	if o.Count > 1 && o.Bytes > 0 {
		clause += " together"
	}
	if o.Line > 0 {
		clause += fmt.Sprintf(", made on line %d", o.Line)
	}
	if reason := t.newReason(o.Reason); reason != "" {
		clause += ": " + reason
	}
	return clause
}

// size names the size of an object as the end of a clause, "" if the document does not tell it, or if a tiny object may be
// in a block that is counted already.
func size(o *Object) string {
	if o.Bytes == 0 {
		return ""
	}
	return fmt.Sprintf(", %d B", o.Bytes)
}

// newReason returns the first clause of a reason, without the steps that lead to it, or "" if it is the reason that was
// written last.
func (t *sentenceWriter) newReason(reason string) string {
	if reason == t.reason {
		return ""
	}
	t.reason = reason
	first, _, _ := strings.Cut(reason, "; ")
	return phrase(first)
}

// becomes tells a value as the end of a clause: "is 1000", "points to heap object 3, made on line 5".
func (t *sentenceWriter) becomes(v Value) string {
	switch {
	case v.To == nil || v.Nil:
	case v.Kind == "pointer":
		return "points to " + t.place(v.To)
	case v.Kind == "slice":
		return fmt.Sprintf("is a slice, length %d, capacity %d, over %s", v.Len, v.Cap, t.place(v.To))
	case v.Kind == "map":
		return fmt.Sprintf("is a map, length %d: %s", v.Len, t.place(v.To))
	case v.Kind == "chan":
		return fmt.Sprintf("is a channel, length %d, capacity %d: %s", v.Len, v.Cap, t.place(v.To))
	case v.Kind == "func" && v.To.ID > 0:
		return "is a closure: " + t.place(v.To)
	case v.Kind == "interface":
		return fmt.Sprintf("is an interface that holds %s: %s", phrase(v.Type), t.place(v.To))
	}
	return "is " + phrase(t.text.Value(v))
}

// place names where a pointer leads.
func (t *sentenceWriter) place(to *Target) string {
	o, name := t.objects[to.ID], t.text[to.ID]
	switch {
	case to.ID == 0:
		return "static data"
	case o == nil && name == "":
		return fmt.Sprintf("object %d", to.ID)
	case o == nil:
		return name
	case o.Place == NotKnown:
		return fmt.Sprintf("object %d, %s", o.ID, t.document.unknownPlace())
	case o.Place == OnStack:
		return fmt.Sprintf("object %d, on the stack", o.ID)
	case t.before.objects[o.ID] == nil:
		// Its own clause tells where it was made.
		return fmt.Sprintf("the new heap object %d", o.ID)
	case o.Line > 0:
		return fmt.Sprintf("heap object %d, made on line %d", o.ID, o.Line)
	}
	return fmt.Sprintf("heap object %d", o.ID)
}

// phrase shortens a text for a sentence.
func phrase(text string) string {
	if utf8.RuneCountInString(text) <= maxPhrase {
		return text
	}
	return string([]rune(text)[:maxPhrase-1]) + "…"
}
