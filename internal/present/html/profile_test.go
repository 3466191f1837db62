package html

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/present"
	"onthestack/internal/verdict"
	"onthestack/internal/why"
)

// profiled returns a profile of a source of so many functions with a line that allocates, each with the name and the
// text.
func profiled(functions int, text string) *Profile {
	var source strings.Builder
	source.WriteString("package p\n")
	p := &Profile{Module: text, Platform: text, Command: text, Summary: text, Notes: []string{text}, Rest: []string{text},
		Callers: &Frame{Label: "all"}, Reasons: &Frame{Label: "all"}, Objects: "allocs",
		Figures: func(objects, bytes float64) string { return fmt.Sprintf("%v allocs, %v B", objects, bytes) },
		Size:    func(bytes float64) string { return fmt.Sprintf("%v B", bytes) },
		Count:   func(objects float64) string { return fmt.Sprint(objects) }}
	kind := &Frame{Label: text, Title: text, Group: present.Grows}
	for i := range functions {
		fmt.Fprintf(&source, "func f%d() {\n\tx = append(x, 1) // %s\n}\n", i, strings.ReplaceAll(text, "\n", " "))
		line, bytes := 3+3*i, float64(functions-i)
		p.Lines = append(p.Lines, ProfileLine{ObjectsMargin: "± 4 %", BytesMargin: "± 5 %", Figures: text, Missing: i%5 == 4,
			Allocation: verdict.Allocation{File: "p.go", Line: line, Func: text, Code: text, AllocsPerOp: 1, BytesPerOp: bytes,
				Kind: why.AppendGrew, Why: text, Callees: []string{text},
				Reasons: []why.Reason{{Line: line, Flow: []escape.Step{{File: "p.go", Line: line + 1, Message: text},
					{File: text, Line: 1, Message: text}}}}}})
		leaf := &Frame{Label: text, Title: text, File: "p.go", Line: line, Group: present.Grows, Objects: 1, Bytes: bytes}
		kind.Children = append(kind.Children, leaf)
		caller := &Frame{Label: text, Title: text, Group: "function", Objects: 1, Bytes: bytes, Children: []*Frame{leaf}}
		p.Callers.Children = append(p.Callers.Children, caller)
		for _, f := range []*Frame{kind, p.Callers, p.Reasons} {
			f.Objects, f.Bytes = f.Objects+1, f.Bytes+bytes
		}
	}
	p.Reasons.Children = []*Frame{kind}
	all := []byte(source.String())
	p.Source = func(file string) []byte {
		if file == "p.go" {
			return all
		}
		return nil
	}
	return p
}

func writeProfile(t testing.TB, p *Profile) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteProfile(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestProfile proves that a page has both graphs by both widths, each line with its figures, and links from the table
// and the frames to the source.
func TestProfile(t *testing.T) {
	p := profiled(3, "a text")
	p.Lines[1].Missing = true
	text := writeProfile(t, p)
	check(t, text)
	for want, times := range map[string]int{
		`<div class="flame by-caller">`: 1, `<div class="flame by-reason">`: 1, `<div class="by-bytes"><svg`: 2,
		`<div class="by-allocs"><svg`: 2, `<td class="place"><a href="#s0L3">p.go:3</a>`: 1,
		`<td class="place">p.go:6<small>`: 1, `3 allocs, 6 B, 100 % of the bytes`: 3,
		`<code>x = append(x, 1) <i class="c">// a text</i></code>`: 2, // in the table
	} {
		if n := strings.Count(text, want); n != times {
			t.Errorf("%q is there %d times, want %d", want, n, times)
		}
	}
}

// TestProfileHostile proves that text of a profile is never read as markup, wherever it is.
func TestProfileHostile(t *testing.T) {
	for _, payload := range payloads {
		check(t, writeProfile(t, profiled(10, payload)))
	}
}

// TestProfileNegative proves that what the base of a profile has more of is drawn with no width, and its callers within
// the graph.
func TestProfileNegative(t *testing.T) {
	p := profiled(3, "a text")
	p.Callers.Children[0].Bytes, p.Callers.Children[0].Children[0].Bytes = -3, -3
	p.Callers.Bytes -= 6
	p.Lines[0].BytesPerOp = -3
	text := writeProfile(t, p)
	check(t, text)
	if !strings.Contains(text, "3 allocs, 0 B, 100 % of the bytes") || strings.Contains(text, `width="-`) {
		t.Error("a negative figure is drawn")
	}
}

// TestProfileBounds proves that a page stays small whatever a profile has.
func TestProfileBounds(t *testing.T) { profileBounds(t, 1500) }

// TestProofProfileBounds is TestProfileBounds for a page that is made again with less.
func TestProofProfileBounds(t *testing.T) { profileBounds(t, 8000) }

func profileBounds(t *testing.T, lines int) {
	t.Helper()
	p := profiled(lines, strings.Repeat("a long text ", 20))
	chain := &Frame{Label: "leaf", Objects: 1, Bytes: float64(lines)}
	for range 60 {
		chain = &Frame{Label: "call", Objects: 1, Bytes: float64(lines), Children: []*Frame{chain}}
	}
	p.Callers.Children = append([]*Frame{chain}, p.Callers.Children...)
	p.Callers.Bytes += float64(lines)
	text := writeProfile(t, p)
	check(t, text)
	if n := strings.Count(text, "<rect"); n > maxFrames+300 {
		t.Errorf("%d frames", n)
	}
	if n := strings.Count(text, `<td class="place">`); n > maxProfileLines {
		t.Errorf("%d lines in the table", n)
	}
	if len(text) > maxPage || !strings.Contains(text, "more lines</td>") {
		t.Errorf("%d bytes", len(text))
	}
}
