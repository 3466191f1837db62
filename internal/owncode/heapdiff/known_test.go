package heapdiff

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"onthestack/internal/owncode/compare"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/schematest"
)

// A program is the known program of package heapprofile, or a changed one.
type program struct{ dir, file string }

// build builds the known program, with replacements in main.go.
func build(t *testing.T, replacements ...string) program {
	t.Helper()
	archive, err := txtar.ParseFile("../heapprofile/testdata/known.txtar")
	if err != nil {
		t.Fatal(err)
	}
	p := program{dir: t.TempDir(), file: filepath.Join(t.TempDir(), "known")}
	for _, f := range archive.Files {
		text := string(f.Data)
		if f.Name == "main.go" {
			replaced := strings.NewReplacer(replacements...).Replace(text)
			if len(replacements) > 0 && replaced == text {
				t.Fatalf("main.go has none of %q", replacements)
			}
			text = replaced
		}
		name := filepath.Join(p.dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", p.file, ".")
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return p
}

// explained runs the program for some rounds at a rate, and explains its profile.
func (p program) explained(t *testing.T, rate, rounds int) Side {
	t.Helper()
	file := filepath.Join(t.TempDir(), "allocs")
	cmd := exec.CommandContext(t.Context(), p.file, strconv.Itoa(rate), strconv.Itoa(rounds), file)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	profile, err := heapprofile.Open(t.Context(), file, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := heapprofile.OpenBinary(p.file)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := b.Check(profile); err != nil {
		t.Fatal(err)
	}
	r, err := profile.Explain(t.Context(), heapprofile.Options{Config: userpkg.Config{Dir: p.dir}, Binary: b})
	if err != nil {
		t.Fatal(err)
	}
	return Side{Label: "known", Report: r, Per: &heapprofile.Per{Unit: "rounds", N: float64(rounds)}}
}

// TestProofNoAlarm runs a program six times at each rate, and proves that two successive profiles never differ. Every
// other run has fewer rounds.
func TestProofNoAlarm(t *testing.T) { testNoAlarm(t, 6) }

// TestNightlyNoAlarm does the same twenty times.
func TestNightlyNoAlarm(t *testing.T) { testNoAlarm(t, 20) }

func testNoAlarm(t *testing.T, runs int) {
	p := build(t)
	for rate, rounds := range map[int]int{1: 1000, 4096: 100_000, 512 << 10: 1_000_000} {
		before := p.explained(t, rate, rounds)
		for i := range runs {
			after := p.explained(t, rate, rounds-i%2*rounds/4)
			c, err := Compare(before, after)
			if err != nil {
				t.Fatal(err)
			}
			if c.More || len(c.Lines)+len(c.Outside) > 0 || c.Unchanged < 10 {
				t.Errorf("rate %d, run %d: more %v, %d unchanged, %d with few samples, outside %+v\n%s", rate, i, c.More,
					c.Unchanged, c.Few, c.Outside, outline(c))
			}
			before = after
		}
	}
}

// TestProofChange proves that a line that allocates a fifth more is found, in the source of another version, and no other
// line.
func TestProofChange(t *testing.T) {
	const rounds = 300_000
	old := build(t).explained(t, 4096, rounds)
	for name, test := range map[string]struct {
		replacements []string
		kind, code   string
		more, reason bool
	}{
		"a fifth more": {[]string{"\t\tround(i)\n", "\t\tround(i)\n\t\tif i%5 == 0 {\n\t\t\ttwo(i)\n\t\t}\n"},
			compare.More, "kept, grown = new(big), append(full[:4:4], i)", true, false},
		"a line stopped": {[]string{"\tcall = func() int64 { return i + i }", "\tcall = nil"},
			compare.Stopped, "call = nil", false, false},
		"another reason": {[]string{"joined = text + \",\" + text ", "joined = string(append([]byte(text), text...)) "},
			compare.More, "", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Compare(old, build(t, test.replacements...).explained(t, 4096, rounds))
			if err != nil {
				t.Fatal(err)
			}
			schematest.Check(t, "schema.json", c)
			if len(c.Lines) != 1 || c.More != test.more || c.Lines[0].Kind != test.kind ||
				c.Lines[0].ReasonChanged != test.reason {
				t.Fatalf("more %v\n%s", c.More, outline(c))
			}
			if code := c.Lines[0].New.Places[0].Code; test.code != "" && !strings.HasPrefix(code, test.code) {
				t.Errorf("%q", code)
			}
		})
	}
}
