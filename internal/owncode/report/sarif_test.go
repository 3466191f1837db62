package report

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	published "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func writeSARIF(t testing.TB, s fixture, dir string) (*published.Report, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := SARIF(&b, s.verdict, SARIFOptions{
		Source: s.source, Dir: dir, Others: map[string]string{"example.com/shop/v2/row": "row"}, Version: "1.2.3",
	}); err != nil {
		t.Fatal(err)
	}
	return readSARIF(t, b.Bytes()), b.Bytes()
}

// readSARIF reads a log as another program does.
func readSARIF(t testing.TB, text []byte) *published.Report {
	t.Helper()
	l, err := published.FromBytes(text)
	if err != nil {
		t.Fatalf("a reader of SARIF: %v", err)
	}
	return l
}

// schema21 is the schema that the standard publishes, as a module has it: in the text of a constant.
var schema21 = sync.OnceValues(func() (*jsonschema.Schema, error) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "pkg", "report",
		"v210", "sarif", "schema.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	literal := file.Scope.Lookup("schema").Decl.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value
	text, err := strconv.Unquote(literal)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})

// valid says what of a log is not of the schema.
func valid(t testing.TB, text []byte) error {
	t.Helper()
	schema, err := schema21()
	if err != nil {
		t.Fatalf("the schema: %v", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(doc)
}

// checkSARIF checks a log against the schema that the standard publishes, and against what code review needs.
func checkSARIF(t testing.TB, l *published.Report, text []byte) {
	t.Helper()
	if err := valid(t, text); err != nil {
		t.Error(err)
	}
	if !utf8.Valid(text) {
		t.Error("no UTF-8")
	}
	run := l.Runs[0]
	prints := map[string]bool{}
	for _, r := range run.Results {
		if *run.Tool.Driver.Rules[r.RuleIndex].ID != *r.RuleID {
			t.Errorf("rule %d is not %s", r.RuleIndex, *r.RuleID)
		}
		if strings.TrimSpace(*r.Message.Text) == "" {
			t.Error("a result without a message")
		}
		if print := r.PartialFingerprints["primaryLocationLineHash"]; print == "" || prints[print] {
			t.Errorf("fingerprint %q, which must be one line's alone", print)
		} else {
			prints[print] = true
		}
		var places []*published.Location
		places = append(places, r.Locations...)
		for _, f := range r.CodeFlows {
			for _, step := range f.ThreadFlows[0].Locations {
				places = append(places, step.Location)
			}
		}
		for _, at := range places {
			if at.PhysicalLocation == nil {
				continue
			}
			uri, err := url.Parse(*at.PhysicalLocation.ArtifactLocation.URI)
			if err != nil || uri.IsAbs() || uri.Host != "" || strings.HasPrefix(uri.Path, "/") ||
				strings.Contains(uri.Path, "..") {
				t.Errorf("URI %q (%v)", *at.PhysicalLocation.ArtifactLocation.URI, err)
			}
			if g := at.PhysicalLocation.Region; g != nil && (*g.StartLine < 1 || g.StartColumn != nil &&
				(*g.StartColumn < 1 || *g.EndColumn < *g.StartColumn)) {
				t.Errorf("region %+v", g)
			}
		}
	}
}

// withRules is the log that is compared with its file whole. The files of others leave out the rules, which are the
// same in each.
const withRules = "none"

var rulesOfLog = regexp.MustCompile(`(?s)("rules": \[)\n.*?\n {10}\]`)

// TestSARIF writes the verdicts in ../testdata as logs.
func TestSARIF(t *testing.T) {
	var rules []byte
	for _, s := range recorded(t) {
		t.Run(s.name, func(t *testing.T) {
			l, text := writeSARIF(t, s, "internal/stream")
			checkSARIF(t, l, text)
			found := rulesOfLog.Find(text)
			if rules == nil {
				rules = found
			}
			if len(l.Runs[0].Tool.Driver.Rules) == 0 || !bytes.Equal(found, rules) {
				t.Errorf("the rules differ from another log's rules:\n%s", found)
			}
			if s.name != withRules {
				text = rulesOfLog.ReplaceAll(text, []byte("$1]"))
			}
			name := filepath.Join("testdata", "sarif", s.name+".sarif")
			if *update {
				if err := os.WriteFile(name, text, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if string(text) != string(want) {
				t.Errorf("%s is no longer what is written: go test ./internal/owncode/report -update rewrites it; "+
					"got\n%s", name, text)
			}
		})
	}
}

// TestSARIFSchemaBites proves that the schema refuses wrong logs; otherwise the tests above would prove nothing.
func TestSARIFSchemaBites(t *testing.T) {
	s := recorded(t)[0]
	_, text := writeSARIF(t, s, "")
	for _, c := range []struct{ old, new string }{
		{`"level": "`, `"level": "loud`},
		{`"startLine": `, `"startLine": -`},
		{`"uri": `, `"url": `},
		{`"version": "2.1.0"`, `"version": "2.0.0"`},
	} {
		broken := bytes.Replace(text, []byte(c.old), []byte(c.new), 1)
		if bytes.Equal(broken, text) || valid(t, broken) == nil {
			t.Errorf("%s passes", c.new)
		}
	}
}

func TestSARIFHostile(t *testing.T) {
	for _, payload := range payloads {
		l, text := writeSARIF(t, hostile(payload), "a b/ü")
		checkSARIF(t, l, text)
		for _, r := range l.Runs[0].Results {
			if m := *r.Message.Text; regexp.MustCompile(`\]\(`).MatchString(m) ||
				strings.Contains(strings.ReplaceAll(strings.ReplaceAll(m, "{{", ""), "}}", ""), "{") {
				t.Errorf("a link or an argument: %s", m)
			}
		}
	}
}

func FuzzSARIF(f *testing.F) {
	for _, payload := range payloads {
		f.Add(payload)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, log := writeSARIF(t, hostile(text), "")
		checkSARIF(t, l, log)
	})
}

// TestSARIFMoved proves that a line keeps its fingerprint if lines are inserted above it.
func TestSARIFMoved(t *testing.T) {
	prints := func(s fixture) map[string]bool {
		l, _ := writeSARIF(t, s, "")
		all := map[string]bool{}
		for _, r := range l.Runs[0].Results {
			all[r.PartialFingerprints["primaryLocationLineHash"]] = true
		}
		return all
	}
	for _, s := range recorded(t) {
		before := prints(s)
		for i := range s.verdict.Allocations {
			s.verdict.Allocations[i].Line += 7
			for j := range s.verdict.Allocations[i].Reasons {
				s.verdict.Allocations[i].Reasons[j].Line += 7
			}
		}
		for i := range s.verdict.Escapes {
			s.verdict.Escapes[i].Line += 7
		}
		source := s.source
		s.source = func(file string) []byte { return append([]byte("\n\n\n\n\n\n\n"), source(file)...) }
		after := prints(s)
		if len(before) != len(after) {
			t.Errorf("%s: %d fingerprints, %d when moved", s.name, len(before), len(after))
		}
		for print := range before {
			if !after[print] {
				t.Errorf("%s: %s is lost when lines move", s.name, print)
			}
		}
	}
}

// TestSARIFColumns proves that columns, which the compiler counts in bytes, are counted in UTF-16 code units in a log.
func TestSARIFColumns(t *testing.T) {
	source := func(string) []byte { return []byte("package x\n\tüü😀 := make([]byte, n)\n") }
	b := sarifBuilder{o: SARIFOptions{Source: source}, texts: map[string][]string{}}
	for _, c := range []struct{ col, start int }{{0, 2}, {1, 1}, {2, 2}, {4, 3}, {10, 6}, {1000, 2}} {
		if got := b.region("x.go", 2, c.col); got["startColumn"] != c.start || got["endColumn"] != 25 {
			t.Errorf("column %d: got %d to %d, want %d to 25", c.col, got["startColumn"], got["endColumn"], c.start)
		}
	}
}

func TestSARIFLimit(t *testing.T) {
	l, text := writeSARIF(t, large(40_000, 6_000, 2), "")
	if n := len(l.Runs[0].Results); n != maxResults {
		t.Errorf("%d results", n)
	}
	if n := l.Runs[0].Invocations[0].ToolExecutionNotifications; len(n) != 1 ||
		!strings.HasPrefix(*n[0].Message.Text, "1000 more lines") {
		t.Errorf("what is left out is not said: %+v", n)
	}
	t.Logf("%.1f MB", float64(len(text))/1e6)
}
