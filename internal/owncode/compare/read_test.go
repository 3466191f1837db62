package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"onthestack/internal/verdict"
)

const saved = `{"schema":"checkalloc/verdict/1","package":"example.com/p","go":"go1.26.8","stage":"","benchmarks":[
{"name":"BenchmarkF","n":10,"ns_per_op":3,"ns_samples":[3,2,4],"bytes_per_op":16,"allocs_per_op":1}],"allocations":[
{"benchmark":"BenchmarkF","file":"a.go","line":3,"func":"F","code":"x := new(T)","allocs_per_op":1,"bytes_per_op":16,"why":"it escapes"}]}
`

func TestRead(t *testing.T) {
	for _, text := range []string{saved, "\ufeff" + saved, strings.Replace(saved, `"go"`,
		`"later":{"a":[1]},"go"`, 1)} {
		v, err := Read(strings.NewReader(text), "old.json")
		if err != nil {
			t.Fatal(err)
		}
		if v.Package != "example.com/p" || len(v.Benchmarks[0].NsSamples) != 3 ||
			v.Allocations[0].Code != "x := new(T)" {
			t.Errorf("%+v", v)
		}
	}
}

func TestReadErrors(t *testing.T) {
	replaced := func(old, new string) string {
		if !strings.Contains(saved, old) {
			t.Fatalf("no %s", old)
		}
		return strings.Replace(saved, old, new, 1)
	}
	for _, test := range []struct{ name, text, want string }{
		{"empty", " \n", "x.json: is empty: save a verdict there with --json"},
		{"utf-16", "\xff\xfe{\x00}\x00",
			"x.json: is UTF-16, as some shells write redirected output: save it as UTF-8"},
		{"no JSON", "ok  \texample.com/p\t0.1s\n",
			"x.json:1:1: invalid character 'o' looking for beginning of value: this is not JSON"},
		{"in a line", replaced(`"n":10`, `"n":ten`),
			"x.json:2:27: invalid character 'e' in literal true (expecting 'r'): this is not JSON"},
		{"cut short", saved[:200], "x.json:2:100: unexpected end of JSON input: the file is cut short, save it again"},
		{"several", saved + saved, "x.json:4:1: a second value begins here: save one verdict per file"},
		{"several in a list", "[" + strings.TrimSpace(saved) + "]",
			"x.json:1:1: the whole is a JSON array, which a verdict does not have there"},
		{"another type", replaced(`"n":10`, `"n":"10"`),
			"x.json:2:29: benchmarks.n is a JSON string, which a verdict does not have there"},
		{"another schema", replaced("verdict/1", "verdict/2"),
			`x.json: its schema is "checkalloc/verdict/2", and this ` +
				`program reads "checkalloc/verdict/1": save it again with this one`},
		{"a comparison", `{"schema":"checkalloc/comparison/1","old":1}`,
			`x.json: its schema is "checkalloc/comparison/1", ` +
				`and this program reads "checkalloc/verdict/1": save it again with this one`},
		{"no schema", "{}", "x.json: is not a verdict: it names no schema; save one with --json"},
		{"negative", replaced(`"bytes_per_op":16`, `"bytes_per_op":-16`),
			"x.json: BenchmarkF: -16 is not a figure per operation"},
		{"infinite", replaced(`"bytes_per_op":16`, `"bytes_per_op":1e999`),
			"x.json:2:83: benchmarks.bytes_per_op is a JSON number 1e999, which a verdict does not have there"},
		{"of no benchmark", replaced(`"benchmark":"BenchmarkF"`, `"benchmark":"BenchmarkG"`),
			`x.json: a.go:3 allocates in benchmark "BenchmarkG", which the verdict does not have`},
		{"too many samples", replaced("[3,2,4]", "[3"+strings.Repeat(",3", maxSamples)+"]"),
			"x.json: BenchmarkF has 10001 ns_samples: at most 10000 are compared"},
	} {
		_, err := Read(strings.NewReader(test.text), "x.json")
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v\nwant %s", test.name, err, test.want)
		}
	}
	failing := errors.New("input/output error")
	if _, err := Read(iotest.ErrReader(failing), "x.json"); !errors.Is(err, failing) {
		t.Error(err)
	}
	endless := io.MultiReader(strings.NewReader("{"), blanks{})
	if _, err := Read(endless, "x.json"); err == nil ||
		err.Error() != "x.json: larger than 64 MiB, so it is not a verdict" {
		t.Error(err)
	}
}

type blanks struct{}

func (blanks) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = ' '
	}
	return len(b), nil
}

// FuzzRead: whatever a file holds, reading ends in a verdict that compares with another, or in an error that names the
// file.
func FuzzRead(f *testing.F) {
	f.Add([]byte(saved))
	f.Add([]byte(saved + saved))
	f.Add([]byte(strings.Replace(saved, "F", "G", -1)))
	f.Add([]byte(`{"schema":"checkalloc/verdict/1","benchmarks":[{"name":"B","ns_per_op":1e18},{"name":"B"}],` +
		`"allocations":[{"benchmark":"B","line":-1,"allocs_per_op":0},{"benchmark":"B","line":-1,"reasons":null}]}`))
	f.Add([]byte("{\"schema\":\"checkalloc/verdict/1\"\n,]"))
	other, err := Read(strings.NewReader(saved), "saved")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Read(bytes.NewReader(data), "x.json")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.json:") {
				t.Errorf("%v does not name the file", err)
			}
			return
		}
		for _, sides := range [][2]*verdict.Verdict{{v, other}, {other, v}, {v, v}} {
			c, err := Compare(Side{Label: "old", Verdict: sides[0]}, Side{Label: "new", Verdict: sides[1]})
			if err != nil {
				continue
			}
			sums(t, c)
			if sides[0] == sides[1] && (c.More || len(c.Lines) > 0) {
				t.Errorf("a verdict differs from itself: %s", outline(c))
			}
			if _, err := json.Marshal(c); err != nil {
				t.Error(err)
			}
		}
	})
}
