package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/escape"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/why"
)

// sampled is a report with a line of each kind: sampled well, with few samples, changed, and outside of the module.
func sampled() *heapprofile.Report {
	return &heapprofile.Report{
		Module: "example.com/svc", Go: "go1.26.8", GOOS: "linux", GOARCH: "amd64", Measure: "allocated", Rate: 512 << 10,
		Per: &heapprofile.Per{Unit: "requests", N: 1000}, Objects: 40, Bytes: 10_000, ModuleObjects: 30, ModuleBytes: 8000,
		Lines: []heapprofile.Line{
			{Package: "example.com/svc/store", File: "store/key.go", Line: 7, Func: "Key", Code: `key := region + "/" + id`,
				Objects: 18.97, Bytes: 4000, ObjectsMargin: 0.76, BytesMargin: 200, Samples: 1290,
				Kind: why.StringConcatenation, Why: "the concatenation moves to the heap", Benchmark: "BenchmarkKey",
				Page:    "interpolation/append",
				Reasons: []why.Reason{{Flow: []escape.Step{{File: "key.go", Line: 8, Message: "returned to the caller"}}}}},
			{Package: "example.com/svc", File: "main.go", Line: 31, Func: "serve.func1", Objects: 10, Bytes: 3000,
				ObjectsMargin: 2, BytesMargin: 600, Samples: 80, Changed: "the function has changed"},
			{Package: "example.com/svc", File: "main.go", Line: 40, Func: "serve", Code: "b := make([]byte, n)",
				Objects: 1, Bytes: 1000, ObjectsMargin: 0.9, BytesMargin: 900, Samples: 3, Kind: why.SizeAtRunTime,
				Why: "its size is known only at run time"},
		},
		Outside: []heapprofile.Outside{{Package: "net/http", Objects: 9, Bytes: 1900}, {Package: "runtime", Objects: 1, Bytes: 1}},
		Notes:   []string{"The sources are from 3fdbf65."},
	}
}

const shownProfile = `example.com/svc                                             go1.26.8 linux/amd64

  Allocated: 10.0 kB in 40 objects per request, 80 % of the bytes on lines of
  the module. Sampled every 524288 bytes: the true figures are within ± for 19
  of 20 lines.
  note  The sources are from 3fdbf65.

  store/key.go, Key
     7 │ key := region + "/" + id
       ╰ 40 % (50 % of the module)   18.97 allocs ± 4 %, 4000 B ± 5 % per
         request
         the concatenation moves to the heap
            8  returned to the caller

  main.go, serve
    31 │
       ╰ 30 % (38 % of the module)   10 allocs ± 20 %, 3000 B ± 20 % per request
         not explained: the function has changed

  1 more line with fewer than ten samples: 10 % of the bytes. --top 3 shows them
  too.
  Without a line of the module on the stack: 19 % of the bytes, in net/http
  19 %.
  Next: store/key.go:7: append to a []byte that is used again, or use a
  strings.Builder that is grown once. book/interpolation/append.md shows how.
  BenchmarkKey may run this line:
    counts exactly  checkalloc explain example.com/svc/store --bench \
                    '^BenchmarkKey$'
    proves an edit  checkalloc suggest example.com/svc/store --bench \
                    '^BenchmarkKey$'
    keeps the gain  checkalloc guard example.com/svc/store
    guard checks the budget in a comment above the benchmark, such as
    //checkalloc:allocs<=1.
`

// TestProfile tests the text for a terminal, and that a top shows lines with few samples too.
func TestProfile(t *testing.T) {
	var out bytes.Buffer
	Profile(&out, sampled(), ProfileOptions{Width: 80, Command: "checkalloc"})
	if got := ansi.Strip(out.String()); got != shownProfile {
		t.Errorf("got\n%s\nwant\n%s", got, shownProfile)
	}
	out.Reset()
	Profile(&out, sampled(), ProfileOptions{Width: 80, Command: "checkalloc", Top: 3})
	if got := ansi.Strip(out.String()); !strings.Contains(got, "make([]byte, n)") || strings.Contains(got, "more line") {
		t.Errorf("--top 3:\n%s", got)
	}
}

// TestProfileMarkdown proves that text of the profile is never read as markup.
func TestProfileMarkdown(t *testing.T) {
	r := sampled()
	r.Lines[0].Code = "x |= `y` // </code><img> @nobody #1"
	r.Lines[0].Why = "*bold* | [link](https://example.com) @nobody"
	r.Notes = []string{"<b>a | b</b> @nobody"}
	r.Outside[0].Package = "a|b/<i>@nobody"
	var out bytes.Buffer
	if err := ProfileMarkdown(&out, r, 0); err != nil {
		t.Fatal(err)
	}
	for _, markup := range []string{"</code><", "<img", "@nobody", "*bold*", "](", "<b>", "<i>", "`"} {
		if strings.Contains(out.String(), markup) {
			t.Errorf("%q is in\n%s", markup, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "| ") && strings.Count(line, "|") != 5 {
			t.Errorf("a row of %d cells: %s", strings.Count(line, "|")-1, line)
		}
	}
	r.Lines = nil
	for range 2000 {
		r.Lines = append(r.Lines, sampled().Lines[0])
	}
	out.Reset()
	if err := ProfileMarkdown(&out, r, 0); err != nil || out.Len() > MaxBytes || !strings.Contains(out.String(), "more lines") {
		t.Errorf("%d bytes, %v", out.Len(), err)
	}
}

// TestProfileBytes tests sizes around the limits of their units.
func TestProfileBytes(t *testing.T) {
	for bytes, want := range map[float64]string{
		0: "0 B", 0.5: "0.5 B", 2.5: "2.5 B", 2727.4: "2727 B", 9999: "9999 B", 10_000: "10.0 kB", 99_949: "99.9 kB", 99_960: "100 kB",
		999_400: "999 kB", 999_600: "1.00 MB", 3.41e9: "3.41 GB", -20_000: "-20.0 kB", 5e18: "5000 PB",
	} {
		if got := profileBytes(bytes); got != want {
			t.Errorf("%v: %s, want %s", bytes, got, want)
		}
	}
}
