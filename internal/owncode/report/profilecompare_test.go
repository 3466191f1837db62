package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/heapdiff"
	"onthestack/internal/owncode/heapprofile"
)

// changedProfiles is a comparison with a change of each kind.
func changedProfiles() *heapdiff.Comparison {
	at := func(line int, function, code, why string) heapdiff.At {
		return heapdiff.At{Places: []compare.Place{{File: "store/key.go", Line: line, Func: function, Code: code}}, Why: why}
	}
	figure := func(old, new, margin float64) heapdiff.Figure {
		return heapdiff.Figure{Old: old, New: new, Margin: margin, Changed: margin > 0}
	}
	return &heapdiff.Comparison{
		Module: "example.com/svc", Measure: "allocated", More: true,
		Old:     heapdiff.Origin{Label: "old.pb.gz", Per: &heapprofile.Per{Unit: "requests", N: 60_000}},
		New:     heapdiff.Origin{Label: "new.pb.gz", Per: &heapprofile.Per{Unit: "requests", N: 58_000}},
		Objects: figure(40, 40.2, 0), Bytes: figure(10_000, 11_500, 100),
		Lines: []heapdiff.Line{
			{Kind: compare.Started, New: at(31, "serve.func1", "b := make([]byte, n)", "its size is known only at run time"),
				Objects: figure(0, 1, 0.1), Bytes: figure(0, 1024, 100)},
			{Kind: compare.More, Old: at(7, "Key", `key := region + "/"`, "the string moves to the heap"),
				New:     at(9, "Key", `key := fmt.Sprint(region, "/")`, "region is stored in an interface"),
				Objects: figure(18.97, 22.8, 0.8), Bytes: figure(2727, 3272, 100), ReasonChanged: true},
			{Kind: compare.More, Old: at(0, "load", "", ""), New: at(0, "load", "", "it escapes"),
				Objects: figure(1, 10, 1), Bytes: figure(10, 100, 10), Once: true},
			{Kind: compare.Stopped, Old: at(5, "Key", "x := new(T)", "it escapes"), New: heapdiff.At{},
				Objects: figure(1, 0, 0.1), Bytes: figure(64, 0, 6)},
		},
		Same: []heapdiff.Line{{Old: at(3, "F", "y := new(T)", ""), New: at(3, "F", "y := new(T)", "it escapes"),
			Objects: figure(2, 2, 0), Bytes: figure(128, 130, 0)}},
		Outside: []heapdiff.Outside{{Package: "net/http", Objects: figure(5, 9, 1), Bytes: figure(5000, 9000, 900)}},
		Notes:   []string{"Both.", "new.pb.gz: The sources are from 3fdbf65."}, Unchanged: 1, Few: 12,
	}
}

const shownProfiles = `example.com/svc                                            old.pb.gz → new.pb.gz

  Allocated per request: 10.0 → 11.5 kB (+15 % ± 1 %); 40 → 40.2 objects (~).

  started allocating
    store/key.go, serve
+   31 │ b := make([]byte, n)
       ╰ 0 → 1 allocs; 0 → 1024 B, per request
         its size is known only at run time

  allocate more
    store/key.go, Key
-    7 │ key := region + "/"
+    9 │ key := fmt.Sprint(region, "/")
       ╰ 18.97 → 22.8 allocs (+20 % ± 4 %); 2727 → 3272 B (+20 % ± 4 %), per
         request
         now: region is stored in an interface
         was: the string moves to the heap
    store/key.go, load
       │ the whole function
       ╰ 1 → 10 allocs (+900 % ± 100 %); 10 → 100 B (+900 % ± 100 %), per
         request (as much in both profiles, so probably once)
         it escapes

  stopped allocating
    store/key.go, Key
-    5 │ x := new(T)
       ╰ 1 → 0 allocs (−100 % ± 10 %); 64 → 0 B (−100 % ± 9 %), per request
         was: it escapes

  Without a line of the module on the stack, in net/http: 5000 → 9000 B (+80 % ±
  18 %); 5 → 9 objects (+80 % ± 20 %) per request.
  1 line started allocating, 2 allocate more, 1 stopped allocating. As before: 1
  line. Too few samples to tell: 12.
  note  Both.
  note  new.pb.gz: The sources are from 3fdbf65.
`

// TestProfileComparison tests the text for a terminal: the unchanged lines are shown on request.
func TestProfileComparison(t *testing.T) {
	var out, all bytes.Buffer
	ProfileComparison(&out, changedProfiles(), false, 80)
	if got := ansi.Strip(out.String()); got != shownProfiles {
		t.Errorf("got\n%s\nwant\n%s", got, shownProfiles)
	}
	ProfileComparison(&all, changedProfiles(), true, 80)
	want := "  allocate as before\n    store/key.go, F\n     3 │ y := new(T)\n       ╰ 2 allocs; 128 → 130 B (~), per request\n"
	if got := ansi.Strip(all.String()); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestProfileComparisonMarkdown tests the table, and that many lines have an end.
func TestProfileComparisonMarkdown(t *testing.T) {
	c := changedProfiles()
	var out bytes.Buffer
	if err := ProfileComparisonMarkdown(&out, c, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"### Allocations of <code>example.com/svc</code>\n",
		"| started | <code>store/key.go&#58;31</code> <code>b := make(",
		"| more | <code>store/key.go</code> the whole of <code>load</code> |",
		"<br>was: the string moves to the heap |",
		"| as before | <code>store/key.go&#58;3</code>",
		"- Both.\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	for i := range 1000 {
		l := c.Lines[0]
		l.New.Places = []compare.Place{{File: fmt.Sprintf("f%d.go", i), Line: 1, Code: strings.Repeat("|<`", 1000)}}
		l.New.Why = strings.Repeat("&", 10_000)
		c.Lines, c.Outside = append(c.Lines, l), append(c.Outside, c.Outside[0])
	}
	out.Reset()
	if err := ProfileComparisonMarkdown(&out, c, true); err != nil || out.Len() > MaxBytes ||
		!strings.Contains(out.String(), "more lines") {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

// TestProfileCollections tests the sentences on the collector.
func TestProfileCollections(t *testing.T) {
	r := sampled()
	for want, c := range map[string]*heapprofile.Collections{
		"": nil,
		" The live heap is 12.3 MB, so at GOGC=100 a collection starts about every 12.3 MB of allocations, once in 200 " +
			"requests. A line's share of the bytes is also its share of the collections.": {GOGC: 100, LiveBytes: 12.3e6,
			EveryBytes: 12.3e6, PerUnit: 0.005},
		" The live heap is 1.00 MB, so at GOGC=100 a collection starts about every 3.19 MB of allocations, 2.5 times per " +
			"request. A line's share of the bytes is also its share of the collections.": {GOGC: 100, LiveBytes: 1e6,
			EveryBytes: 3.19e6, PerUnit: 2.5},
		" The live heap is 9.00 MB, so at GOGC=100 a collection starts about every 9.00 MB of allocations. A line's share of " +
			"the bytes is also its share of the collections.": {GOGC: 100, LiveBytes: 9e6, EveryBytes: 9e6},
	} {
		if r.Collections = c; profileCollections(r) != want {
			t.Errorf("got %q, want %q", profileCollections(r), want)
		}
	}
}
