package heapdiff

import (
	"slices"
	"strings"
	"testing"

	"onthestack/internal/escape"
	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/why"
)

// report returns an exact profile with lines.
func report(lines ...heapprofile.Line) *heapprofile.Report {
	r := &heapprofile.Report{Rate: 1, Module: "example.com/m", Measure: "allocated", Go: "go1.26.8", GOOS: "linux",
		GOARCH: "amd64", Lines: lines}
	for i := range r.Lines {
		l := &r.Lines[i]
		l.Package, l.Sampled.Samples = "example.com/m", l.Objects
		r.Objects, r.Bytes = r.Objects+l.Objects, r.Bytes+l.Bytes
	}
	return r
}

// line returns a line of a.go that allocates 1000 objects of a size.
func line(number int, function, code, reason string, size float64) heapprofile.Line {
	return heapprofile.Line{File: "a.go", Line: number, Func: function, Code: code, Why: reason, Objects: 1000,
		Bytes: 1000 * size}
}

// outline writes a comparison as a line for each change.
func outline(c *Comparison) string {
	var b strings.Builder
	names := func(places []compare.Place) string {
		var all []string
		for _, p := range places {
			all = append(all, p.Func+" "+p.Code)
		}
		return strings.Join(all, " and ")
	}
	for _, l := range c.Lines {
		b.WriteString(l.Kind + ": " + names(l.Old.Places) + " → " + names(l.New.Places))
		if l.ReasonChanged {
			b.WriteString(", reason")
		}
		if l.Once {
			b.WriteString(", once")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestCompare tests how lines are paired and what counts as a change.
func TestCompare(t *testing.T) {
	flow := func(l heapprofile.Line, message string) heapprofile.Line {
		l.Reasons = []why.Reason{{Flow: []escape.Step{{Message: message}}}}
		return l
	}
	kind := func(l heapprofile.Line, kind why.Kind) heapprofile.Line {
		l.Kind = kind
		return l
	}
	for name, test := range map[string]struct {
		old, new []heapprofile.Line
		units    [2]float64
		want     string
		more     bool
	}{
		"as before": {
			old: []heapprofile.Line{line(3, "F", "a := new(T)", "it escapes", 64)},
			new: []heapprofile.Line{line(9, "F", "a := new(T)", "it escapes", 64)},
		},
		"more bytes": {
			old:  []heapprofile.Line{line(3, "F", "a := new(T)", "it escapes", 64)},
			new:  []heapprofile.Line{line(9, "F", "a := new(T)", "it escapes", 80)},
			want: "more: F a := new(T) → F a := new(T)\n", more: true,
		},
		"under one percent": {
			old: []heapprofile.Line{line(3, "F", "a := new(T)", "it escapes", 1000)},
			new: []heapprofile.Line{line(3, "F", "a := new(T)", "it escapes", 1009)},
		},
		"edited, and for another reason": {
			old:  []heapprofile.Line{line(3, "F", "s := fmt.Sprint(a, b)", "it is stored in an interface", 64)},
			new:  []heapprofile.Line{line(3, "F", "s := join(a, b)", "the string escapes", 32)},
			want: "fewer: F s := fmt.Sprint(a, b) → F s := join(a, b), reason\n",
		},
		"edited, and for the same reason in other words": {
			old:  []heapprofile.Line{kind(line(3, "F", "s := a + b", "a + b escapes", 64), why.StringConcatenation)},
			new:  []heapprofile.Line{kind(line(3, "F", "s := a + b + c", "a + b + c escapes", 96), why.StringConcatenation)},
			want: "more: F s := a + b → F s := a + b + c\n", more: true,
		},
		"started and stopped": {
			old:  []heapprofile.Line{line(3, "F", "a := new(T)", "it escapes", 64)},
			new:  []heapprofile.Line{line(3, "G", "m[k] = v", "the map grew", 64)},
			want: "started:  → G m[k] = v\nstopped: F a := new(T) → \n", more: true,
		},
		"a reason more without other figures may not have been sampled": {
			old: []heapprofile.Line{line(3, "F", "a, b := new(T), append(c, d)", "it escapes", 64)},
			new: []heapprofile.Line{line(3, "F", "a, b := new(T), append(c, d)", "it escapes; append grew", 64)},
		},
		"a reason more": {
			old:  []heapprofile.Line{line(3, "F", "a, b := new(T), append(c, d)", "it escapes", 64)},
			new:  []heapprofile.Line{line(3, "F", "a, b := new(T), append(c, d)", "append grew; it escapes", 128)},
			want: "more: F a, b := new(T), append(c, d) → F a, b := new(T), append(c, d), reason\n", more: true,
		},
		"another reason": {
			old:  []heapprofile.Line{line(3, "F", "a := new(T)", "it is returned", 64)},
			new:  []heapprofile.Line{line(3, "F", "a := new(T)", "it is stored in an interface", 64)},
			want: "reason: F a := new(T) → F a := new(T), reason\n",
		},
		"other steps": {
			old:  []heapprofile.Line{flow(line(3, "F", "a := new(T)", "it escapes", 64), "returned")},
			new:  []heapprofile.Line{flow(line(3, "F", "a := new(T)", "it escapes", 64), "passed to G")},
			want: "reason: F a := new(T) → F a := new(T), reason\n",
		},
		"lines that are not in the sources": {
			old: []heapprofile.Line{line(3, "F", "", "", 64), line(5, "F.func1", "", "", 64), line(9, "G", "m[k] = v", "", 64)},
			new: []heapprofile.Line{line(7, "F", "a := new(T)", "", 64), line(9, "F.func2", "b := new(T)", "", 64),
				line(3, "G", "m[k] = v", "", 64)},
		},
		"more in a function that is not in the sources": {
			old:  []heapprofile.Line{line(3, "F", "", "", 64)},
			new:  []heapprofile.Line{line(7, "F", "a := new(T)", "", 64), line(9, "F", "b := new(T)", "", 64)},
			want: "more: F  → F \n", more: true,
		},
		"once": {
			old:   []heapprofile.Line{line(3, "init", "table := make([]T, n)", "", 64)},
			new:   []heapprofile.Line{line(3, "init", "table := make([]T, n)", "", 64)},
			units: [2]float64{1000, 100}, want: "more: init table := make([]T, n) → init table := make([]T, n), once\n",
		},
		"as many per unit": {
			old:   []heapprofile.Line{line(3, "F", "a := new(T)", "it escapes", 64)},
			new:   []heapprofile.Line{line(3, "F", "a := new(T)", "it escapes", 64), line(4, "F", "b := new(T)", "", 64)},
			units: [2]float64{1000, 1000}, want: "started:  → F b := new(T)\n", more: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			units := test.units
			if units[0] == 0 {
				units = [2]float64{10, 10}
			}
			old, new := report(test.old...), report(test.new...)
			c := compared(t, old, new, units)
			if outline(c) != test.want || c.More != test.more {
				t.Errorf("more %v,\n%swant\n%s", c.More, outline(c), test.want)
			}
			if c := compared(t, new, new, [2]float64{10, 10}); outline(c) != "" || c.More || c.Unchanged == 0 {
				t.Errorf("differs from itself: %s", outline(c))
			}
		})
	}
}

// TestOutside tests packages that allocate without a line of the module, and the whole.
func TestOutside(t *testing.T) {
	with := func(bytes float64) *heapprofile.Report {
		r := report(line(3, "F", "a := new(T)", "it escapes", 64))
		r.Outside = []heapprofile.Outside{{Package: "net/http", Objects: 100, Bytes: bytes,
			Sampled: heapprofile.Estimate{Samples: 100}}}
		r.Objects, r.Bytes = r.Objects+100, r.Bytes+bytes
		return r
	}
	c := compared(t, with(1000), with(20_000), [2]float64{10, 10})
	if len(c.Lines) != 0 || len(c.Outside) != 1 || c.Outside[0].Package != "net/http" || !c.More || !c.Bytes.Changed ||
		c.Bytes.Old != 6500 || c.Bytes.New != 8400 {
		t.Errorf("%+v", c)
	}
	if c := compared(t, with(20_000), with(1000), [2]float64{10, 10}); len(c.Outside) != 1 || c.More {
		t.Errorf("%+v", c)
	}
	// The whole is a third more per unit, but it is as much in a tenth of the units: it may be what happens once.
	if c := compared(t, with(1000), with(1000), [2]float64{100, 10}); c.More {
		t.Errorf("%+v", c)
	}
}

// TestFew proves that lines with few samples are counted, and are no change.
func TestFew(t *testing.T) {
	old, new := report(line(3, "F", "a := new(T)", "", 64)), report(line(3, "F", "a := new(T)", "", 64))
	for _, r := range []*heapprofile.Report{old, new} {
		r.Rate = 512 << 10
		r.Lines[0].Sampled = heapprofile.Estimate{Samples: 1}
	}
	new.Lines[0].Bytes, new.Bytes = 1e6, 1e6
	if c := compared(t, old, new, [2]float64{1, 1}); c.Few != 1 || c.Unchanged != 0 || len(c.Lines) != 0 || c.More {
		t.Errorf("%+v", c)
	}
}

// TestNotes tests notes on differences other than the code, and the error for different rates.
func TestNotes(t *testing.T) {
	old, new := report(line(3, "F", "a := new(T)", "", 64)), report(line(3, "F", "a := new(T)", "", 64))
	old.Go, old.GOARCH = "go1.25.0", "arm64"
	old.Notes, new.Notes = []string{"Both.", "First."}, []string{"Both.", "Second."}
	c := compared(t, old, new, [2]float64{1, 1})
	want := []string{"The programs were compiled with go1.25.0 and with go1.26.8, whose reasons differ in words.",
		"The programs were compiled for linux/arm64 and for linux/amd64: sizes differ between platforms.",
		"Both.", "old: First.", "new: Second."}
	if !slices.Equal(c.Notes, want) {
		t.Errorf("%q", c.Notes)
	}
	new.Rate = 0 // the runtime's default
	if _, err := Compare(Side{Report: old}, Side{Report: new}); err == nil ||
		!strings.Contains(err.Error(), "every 1 and every 524288 bytes") {
		t.Errorf("%v", err)
	}
	old.Rate = heapprofile.DefaultRate
	if _, err := Compare(Side{Report: old}, Side{Report: new}); err != nil {
		t.Error(err)
	}
}
