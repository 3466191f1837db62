package step

import (
	"fmt"
	"slices"
	"strings"
)

// A Text writes the values of one step as text. It has the names of what pointers lead to, by id.
type Text map[int]string

// Text returns the names of the variables and objects of step n, for its values as text.
func (d *Document) Text(n int) Text {
	s := &d.Steps[n]
	t := Text{}
	for _, f := range s.Stack {
		for _, slot := range f.Slots {
			if t[slot.ID] == "" {
				t[slot.ID] = slot.Name + " of " + d.Functions[f.Function].Name
			}
		}
	}
	for _, g := range s.Globals {
		t[g.ID] = g.Name
	}
	for _, o := range slices.Concat(s.Elsewhere, s.Heap) {
		t[o.ID] = fmt.Sprintf("#%d", o.ID)
	}
	return t
}

// target names where a pointer leads.
func (t Text) target(to *Target) string {
	if to == nil {
		return "nil"
	}
	name, ok := t[to.ID]
	switch {
	case to.ID == 0:
		return "→ static data"
	case !ok:
		name = fmt.Sprintf("#%d", to.ID)
	}
	if to.Offset > 0 {
		return fmt.Sprintf("→ %s+%d", name, to.Offset)
	}
	return "→ " + name
}

// Value returns a value as text: "1000", "→ #3", "→ #1 len 3 cap 4", "{x: 1, next: nil}".
func (t Text) Value(v Value) string {
	if v.Nil && v.Kind != "pointer" {
		return "nil " + v.Kind
	}
	switch v.Kind {
	case "basic":
		return v.Text
	case "string":
		text := fmt.Sprintf("%q", v.Text)
		if v.Len > len(v.Text) {
			text += "…"
		}
		if v.To != nil && v.To.ID > 0 {
			return fmt.Sprintf("%s %s len %d", text, t.target(v.To), v.Len)
		}
		return text
	case "pointer":
		return t.target(v.To)
	case "slice", "chan":
		return fmt.Sprintf("%s len %d cap %d", t.target(v.To), v.Len, v.Cap)
	case "map":
		return fmt.Sprintf("%s len %d", t.target(v.To), v.Len)
	case "func":
		if v.To != nil && v.To.ID > 0 {
			return t.target(v.To)
		}
		return "func " + strings.TrimPrefix(v.Text, "main.")
	case "interface":
		if len(v.Elems) > 0 {
			return fmt.Sprintf("(%s, %s)", v.Type, t.Value(v.Elems[0]))
		}
		return fmt.Sprintf("(%s, %s)", v.Type, t.target(v.To))
	case "struct":
		var fields []string
		for i, e := range v.Elems {
			fields = append(fields, v.Names[i]+": "+t.Value(e))
		}
		return "{" + strings.Join(fields, ", ") + "}"
	case "array":
		return "[" + t.list(v.Elems, v.Len) + "]"
	case "entries":
		var entries []string
		for i := 0; i+1 < len(v.Elems); i += 2 {
			entries = append(entries, t.Value(v.Elems[i])+": "+t.Value(v.Elems[i+1]))
		}
		if len(entries) < v.Len {
			entries = append(entries, "…")
		}
		return "map[" + strings.Join(entries, ", ") + "]"
	case "closure":
		var captures []string
		for i, to := range v.Captures {
			text := t.target(&to)
			if i < len(v.Names) {
				text = v.Names[i] + " " + text
				if v.By[i] != NotKnown {
					text += " by " + v.By[i]
				}
			}
			captures = append(captures, text)
		}
		return "captures " + strings.Join(captures, ", ")
	}
	return "not read"
}

func (t Text) list(elems []Value, length int) string {
	var list []string
	for _, e := range elems {
		list = append(list, t.Value(e))
	}
	if len(elems) < length {
		list = append(list, fmt.Sprintf("… %d in all", length))
	}
	return strings.Join(list, " ")
}
