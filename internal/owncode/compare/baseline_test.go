package compare

import (
	"slices"
	"strings"
	"testing"

	"onthestack/internal/verdict"
)

// baselineOf returns the file of a baseline with one package, in folder p.
func baselineOf(t *testing.T, s Side) string {
	t.Helper()
	b := NewBaseline("example.com")
	if err := b.Set("p", s); err != nil {
		t.Fatal(err)
	}
	return string(b.Bytes())
}

const baselineSource = begin + "\tput(\"x\") // 1\n\tput(\"x\") // 2\n\tif a < b { // 0.5 the <T> is boxed\n}\n" +
	"func T.A() {\n\tuse(n) // 1\n}\n"

const baselineHeader = `{"schema":"checkalloc/baseline/1","module":"example.com","go":"go1.26.8","goos":"linux",` +
	`"goarch":"amd64"}` + "\n"

const baselineText = `{"dir":"p","benchmark":"BenchmarkF","allocs":4.5,"bytes":72}
{"dir":"p","file":"a.go","func":"F","code":"put(\"x\")","why":"it escapes","in":{"BenchmarkF":[1,16]}}
{"dir":"p","file":"a.go","func":"F","code":"put(\"x\")","why":"it escapes","in":{"BenchmarkF":[2,32]}}
{"dir":"p","file":"a.go","func":"F","code":"if a < b {","why":"the <T> is boxed","in":{"BenchmarkF":[0.5,8]}}
{"dir":"p","file":"a.go","func":"T.A","code":"use(n)","why":"it escapes","in":{"BenchmarkF":[1,16]}}
`

// onRelease returns a side with the release and the platform of baselineHeader.
func onRelease(s Side) Side {
	s.Verdict.Go, s.Verdict.GOOS, s.Verdict.GOARCH = "go1.26.8", "linux", "amd64"
	return s
}

// TestBaseline writes a baseline, reads it, and compares packages with it.
func TestBaseline(t *testing.T) {
	text := baselineOf(t, onRelease(made(t, baselineSource)))
	if want := baselineHeader + baselineText; text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	b, err := ReadBaseline([]byte("\ufeff"+strings.ReplaceAll(text, "\n", "\r\n")), "base")
	if err != nil {
		t.Fatal(err)
	}
	if again := string(b.Bytes()); again != text || b.Module() != "example.com" {
		t.Errorf("read and written again:\n%s", again)
	}
	moved := "package p\n\nimport \"fmt\"\n\nfunc T.A() {\n\n\tuse(n) // 1\n}\n\nfunc F(n int) {\n\tlog()\n" +
		"\tput(\"x\") // 1\n\tput(\"x\") // 2\n\tif a  <  b { // 0.5 the <T> is boxed\n}\n"
	for _, test := range []struct {
		name, new, want string
		more            bool
	}{
		{"same", baselineSource, "", false},
		{"moved", moved, "", false},
		{"another reason", strings.Replace(moved, "boxed", "moved", 1), "", false},
		{"more", strings.Replace(moved, "// 2", "// 3", 1), "more a.go:0 → a.go:13 2 → 3", true},
		{"another average", strings.Replace(moved, "// 0.5", "// 0.52", 1), "", false},
		{"another average, much more", strings.Replace(moved, "// 0.5", "// 1.5", 1),
			"more a.go:0 → a.go:14 0.5 → 1.5", true},
		{"edited", strings.Replace(moved, "use(n) // 1", "use(n, 1) // 1", 1), "", false},
		{"started", strings.Replace(moved, "log()", "log() // 1", 1), "started none → a.go:11 0 → 1", true},
		{"stopped", strings.Replace(moved, "use(n) // 1", "use(n)", 1), "stopped a.go:0 → none 1 → 0", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			side := onRelease(made(t, test.new))
			c, err := Compare(b.Side("p", "base"), side)
			if err != nil {
				t.Fatal(err)
			}
			if got := outline(c); got != test.want || c.More != test.more || c.Differs() != (test.want != "") {
				t.Errorf("got %s, more %v, differs %v", got, c.More, c.Differs())
			}
			if remarks := c.Remarks(); len(remarks) > 0 {
				t.Errorf("remarks %q", remarks)
			}
			if test.name == "another average" {
				if err := b.Set("p", side); err != nil {
					t.Fatal(err)
				}
				if got := string(b.Bytes()); strings.ReplaceAll(got, "a  <  b", "a < b") != text {
					t.Errorf("the baseline with another average is\n%s", got)
				}
				if b, err = ReadBaseline([]byte(text), "base"); err != nil {
					t.Fatal(err)
				}
			}
			if test.name == "moved" {
				if got := baselineOf(t, side); strings.ReplaceAll(got, "a  <  b", "a < b") != text {
					t.Errorf("the baseline of moved lines is\n%s", got)
				}
			}
		})
	}
	t.Run("a benchmark more, and none on both sides", func(t *testing.T) {
		side := onRelease(made(t, moved))
		side.Verdict.Benchmarks[0].Name, side.Verdict.Allocations = "BenchmarkG", nil
		c, err := Compare(b.Side("p", "base"), side)
		if err != nil || !c.Differs() || c.More {
			t.Errorf("%+v, %v", c, err)
		}
	})
	t.Run("a package is gone", func(t *testing.T) {
		c, err := Compare(b.Side("p", "base"), Side{Label: "working tree"})
		if err != nil || !c.Differs() || !c.New.Missing || c.Package != "example.com/p" {
			t.Errorf("%+v, %v", c, err)
		}
	})
	t.Run("not measured", func(t *testing.T) {
		if err := b.Set("q", Side{Label: "q", Verdict: &verdict.Verdict{Stage: verdict.StageBuild}}); err == nil {
			t.Error("no error")
		}
	})
}

// TestBaselineErrors proves that a file that is no baseline gets one sentence.
func TestBaselineErrors(t *testing.T) {
	whole := baselineHeader + baselineText
	for _, test := range []struct{ name, text, want string }{
		{"empty", " \n", "base: is empty: remove the file, and --update writes it again"},
		{"another file", "module example.com\n", "base: is not a baseline: its first line does not name the schema " +
			"checkalloc/baseline/1"},
		{"a verdict", saved, "base: is not a baseline"},
		{"newer", strings.Replace(whole, "baseline/1", "baseline/2", 1),
			`base: its schema is "checkalloc/baseline/2", and this program reads "checkalloc/baseline/1": use the ` +
				`release of checkalloc that wrote it, or remove`},
		{"a conflict at once", "<<<<<<< HEAD\n" + whole, "base:1: has a merge conflict: remove the file"},
		{"a conflict", baselineHeader + "<<<<<<< HEAD\n" + baselineText + "=======\n>>>>>>> main\n",
			"base:2: has a merge conflict"},
		{"cut short", whole[:len(whole)-20], "base:6: is no line of a baseline: unexpected end of JSON input: remove"},
		{"no row", whole + "{}\n", "base:7: is no line of a baseline: it has neither a benchmark nor a line of source"},
		{"twice", baselineHeader + baselineText + baselineText,
			"base:7: is no line of a baseline: BenchmarkF is there already: remove the file"},
		{"no benchmark", strings.Replace(whole, `k":"BenchmarkF"`, `k":"BenchmarkG"`, 1),
			"base:3: is no line of a baseline: no line before it is of BenchmarkF"},
		{"negative", strings.Replace(whole, "4.5", "-4.5", 1),
			"base:2: is no line of a baseline: it has a figure that cannot be one per operation: remove"},
		{"a huge figure", strings.Replace(whole, "[2,32]", "[2,1e300]", 1), "base:4: is no line of a baseline"},
		{"text for a figure", strings.Replace(whole, "4.5", `"4"`, 1),
			"base:2: is no line of a baseline: json: cannot"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.text == whole {
				t.Fatal("the test changes nothing")
			}
			_, err := ReadBaseline([]byte(test.text), "base")
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// FuzzBaseline proves that what can be read can be written, and then reads the same.
func FuzzBaseline(f *testing.F) {
	f.Add([]byte(baselineHeader + baselineText))
	f.Add([]byte(baselineHeader + `{"dir":"p","in":{"B":[1]}}`))
	f.Add([]byte(baselineHeader + `{"dir":"../p","benchmark":"B","allocs":0.1,"bytes":1e18,"file":"\u0000","in":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ReadBaseline(data, "base")
		if err != nil {
			return
		}
		once := b.Bytes()
		again, err := ReadBaseline(once, "base")
		if err != nil || !slices.Equal(again.Bytes(), once) {
			t.Errorf("%v: %q, then %q", err, once, again.Bytes())
		}
	})
}
