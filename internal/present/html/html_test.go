package html

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/present"
	"onthestack/internal/verdict"
)

var update = flag.Bool("update", false, "rewrite the pages in testdata")

func write(t testing.TB, s fixture) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, s.verdict, Options{Source: s.source, Module: "example.com/shop/v2",
		Command: "checkalloc explain ."}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGolden writes the verdicts in ../testdata as pages. The pages in testdata are without style and script.
func TestGolden(t *testing.T) {
	for _, s := range recorded(t) {
		t.Run(s.name, func(t *testing.T) {
			text := write(t, s)
			check(t, text)
			_, body, found := strings.Cut(text, "<body>")
			if !found {
				t.Fatal("no body")
			}
			body = strings.Replace(body, script, "", 1)
			name := filepath.Join("testdata", s.name+".html")
			if *update {
				if err := os.WriteFile(name, []byte(body), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if body != string(want) {
				t.Errorf("%s is no longer what is written: go test ./internal/present/html -update rewrites it; "+
					"got\n%s", name,
					body)
			}
		})
	}
}

// The elements and attributes that a page may have.
var (
	elements = strings.Fields("html head meta title style body header main section article nav div p a b i small " +
		"span code pre ul ol li h1 h2 h3 table thead tbody tr th td details summary fieldset legend input label svg " +
		"g rect text script")
	attributes = strings.Fields("lang charset http-equiv content name class id href title type checked for " +
		"aria-label aria-live aria-hidden role tabindex open colspan xmlns width height x y")
)

// check proves that a page is well-formed, has only what a page may have, asks nobody for anything, and that its links
// lead somewhere. The page is XML as well, so that a strict parser can read it.
func check(t testing.TB, text string) {
	t.Helper()
	ids, links := map[string]bool{}, map[string]bool{}
	scripts := 0
	d := xml.NewDecoder(strings.NewReader(text))
	for inScript := false; ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line, col := d.InputPos()
			lines := strings.Split(text, "\n")
			t.Fatalf("%d:%d: %v: %s", line, col, err, lines[min(line, len(lines))-1])
		}
		switch token := token.(type) {
		case xml.Comment, xml.ProcInst:
			t.Errorf("a comment or instruction: %v", token)
		case xml.CharData:
			if inScript && string(token) != script {
				t.Errorf("another script: %s", token)
			}
		case xml.EndElement:
			inScript = false
		case xml.StartElement:
			if !slices.Contains(elements, token.Name.Local) {
				t.Errorf("element %s", token.Name.Local)
			}
			if inScript = token.Name.Local == "script"; inScript {
				scripts++
			}
			for _, a := range token.Attr {
				if !slices.Contains(attributes, a.Name.Local) {
					t.Errorf("attribute %s=%q of %s", a.Name.Local, a.Value, token.Name.Local)
				}
				switch a.Name.Local {
				case "id":
					if ids[a.Value] {
						t.Errorf("id %s twice", a.Value)
					}
					ids[a.Value] = true
				case "href":
					if id, ok := strings.CutPrefix(a.Value, "#"); ok {
						links[id] = true
					} else {
						t.Errorf("a link to %q", a.Value)
					}
				}
			}
		}
	}
	if scripts != 1 {
		t.Errorf("%d scripts", scripts)
	}
	for id := range links {
		if !ids[id] {
			t.Errorf("a link to #%s, which is nowhere", id)
		}
	}
}

func TestHostile(t *testing.T) {
	for _, payload := range payloads {
		check(t, write(t, hostile(payload)))
	}
}

func FuzzWrite(f *testing.F) {
	for _, payload := range payloads {
		f.Add(payload)
	}
	f.Add("func f() {\n\t`raw\r\nstring` /* and\r\ncomment */ 'c' // end\n}\n//line y.go:1\nvar x = []int{")
	f.Fuzz(func(t *testing.T, text string) { check(t, write(t, hostile(text))) })
}

// FuzzCode: colouring takes nothing away and adds nothing.
func FuzzCode(f *testing.F) {
	for _, payload := range payloads {
		f.Add(payload)
	}
	f.Add("package p\nvar x = `raw\r\nstring` + \"s\" /* c\r\nd */\nfunc f() { return 'x' } // end")
	f.Fuzz(func(t *testing.T, text string) {
		lines := code("x.go", []byte(text))
		want := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if text == "" {
			want = nil
		}
		if len(lines) != len(want) {
			t.Fatalf("%d lines of %d", len(lines), len(want))
		}
		tags := regexp.MustCompile(`</?i[^>]*>`)
		for i := range lines {
			if len(want[i]) > maxColumns {
				continue
			}
			got := tags.ReplaceAllString(string(lines[i]), "")
			if plain := escaped(want[i]); got != plain && strings.ToValidUTF8(want[i], "") == want[i] {
				t.Errorf("line %d: got %q, want %q", i+1, got, plain)
			}
		}
	})
}

// TestColours: each kind of token has its class, on each of its lines.
func TestColours(t *testing.T) {
	got := code("x.go", []byte("func f() {\n\treturn `a\r\nb<` /* c\nd */\n}"))
	want := []string{
		`<i class="k">func</i> f() {`,
		"\t" + `<i class="k">return</i> <i class="s">` + "`a</i>",
		`<i class="s">b&lt;` + "`" + `</i> <i class="c">/* c</i>`,
		`<i class="c">d */</i>`,
		`}`,
	}
	if len(got) != len(want) {
		t.Fatalf("got %d lines: %q", len(got), got)
	}
	for i := range want {
		if string(got[i]) != want[i] {
			t.Errorf("line %d: got %q, want %q", i+1, got[i], want[i])
		}
	}
}

// TestColors: the pages have their colors from the tokens, whose contrast internal/present holds.
func TestColors(t *testing.T) {
	own := pageStyle + ownOfProfile
	if found := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|light-dark|color-mix)\(`).FindString(
		own); found != "" {
		t.Errorf("page.css has a color of its own: %s", found)
	}
	for _, m := range regexp.MustCompile(`var\((--ots-[\w-]+)`).FindAllStringSubmatch(own, -1) {
		if !strings.Contains(present.Tokens, m[1]+":") {
			t.Errorf("page.css asks for %s, which is no token", m[1])
		}
	}
}

// TestBounds: a page stays small whatever a verdict holds, and says what it leaves out.
func TestBounds(t *testing.T) {
	bounds(t, 20_000, 5_000, 1)
	bounds(t, 4_000, 1_000, 26, "The flame graphs of 2 more benchmarks.")
}

// TestProofBounds is TestBounds for pages that are made again with less.
func TestProofBounds(t *testing.T) {
	bounds(t, 80_000, 20_000, 2, "15000 more", "30000 of", "60000 lines")
	oneFunction(t, func(string) []byte {
		line := "\tx = append(x, 1)" + strings.Repeat(" // x", 200) + "\n"
		return []byte("package large\nfunc large() {\n" + strings.Repeat(line, 12_100) + "}\n")
	})
}

// bounds writes the page of a large package, and checks its size and how the sentences begin that say what is left out.
func bounds(t *testing.T, lines, allocating, benchmarks int, leftOut ...string) {
	t.Helper()
	text := write(t, large(lines, allocating, benchmarks))
	if len(text) > 10_000_000 {
		t.Errorf("%d lines: %d bytes", lines, len(text))
	}
	_, list, _ := strings.Cut(text, `<section class="leftout">`)
	list, _, _ = strings.Cut(list, "</section>")
	var left []string
	for _, m := range regexp.MustCompile(`<li>(.*?)</li>`).FindAllStringSubmatch(list, -1) {
		left = append(left, m[1])
	}
	t.Logf("%d lines: %.1f MB, left out: %q", lines, float64(len(text))/1e6, left)
	if !slices.EqualFunc(left, leftOut, strings.HasPrefix) {
		t.Errorf("%d lines, left out: %q, want %q", lines, left, leftOut)
	}
}

// TestOneFunction: one function that is too large by itself is shown all the same, up to a line. Where the lines are
// long, fewer are shown: TestProofBounds.
func TestOneFunction(t *testing.T) { oneFunction(t, nil) }

func oneFunction(t *testing.T, source func(string) []byte) {
	t.Helper()
	s := large(12_000, 12_000, 1)
	s.source = source
	for i := range s.verdict.Allocations {
		s.verdict.Allocations[i].Func = "large"
	}
	text := write(t, s)
	check(t, text)
	if n := strings.Count(text, `class="note"`); n < 1000 || len(text) > 10_000_000 ||
		!strings.Contains(text, "lines that allocate, at the end of large.") {
		t.Errorf("%d notes in %d bytes", n, len(text))
	}
}

func BenchmarkWrite(b *testing.B) {
	s := large(20_000, 5_000, 1)
	size := 0
	for b.Loop() {
		size = len(write(b, s))
	}
	b.ReportMetric(float64(size)/1e6, "MB/page")
}

// TestPackage proves that the page of a package has its import path, the spread of the times, and one explanation of
// shared blocks.
func TestPackage(t *testing.T) {
	shared := verdict.Allocation{Benchmark: "BenchmarkF", File: "f.go", Line: 1, Func: "F", AllocsPerOp: 1,
		BytesPerOp: 8,
		Why:        "the value of n is boxed", Shared: true}
	other := shared
	other.Line = 2
	v := &verdict.Verdict{
		Package: "example.com/m/p", Title: "a title", Go: "go1.26.0", GOOS: "linux", GOARCH: "amd64", Engine: "native",
		Pass: true,
		Benchmarks: []verdict.Benchmark{{Name: "BenchmarkF", N: 1, AllocsPerOp: 2, BytesPerOp: 16, NsPerOp: 205,
			NsSamples: []float64{310, 205, 101}}},
		Allocations: []verdict.Allocation{shared, other},
	}
	page := write(t, fixture{verdict: v})
	check(t, page)
	for want, times := range map[string]int{
		"<h1>example.com/m/p</h1>": 1, "median of 3, from 101 to 310": 1, `id="shared"`: 1, `href="#shared"`: 2,
		", native": 0, "a title": 0,
	} {
		if n := strings.Count(page, want); n != times {
			t.Errorf("%q is there %d times, want %d", want, n, times)
		}
	}
	v.Benchmarks[0].NsSamples, v.Allocations = nil, nil
	if page := write(t, fixture{verdict: v}); strings.Contains(page, "median") ||
		strings.Contains(page, "shared blocks") {
		t.Error("what is not the case is said")
	}
}
