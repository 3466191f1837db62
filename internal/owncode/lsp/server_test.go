package lsp

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMeasure measures a package as an editor does, edits it, breaks it and mends it.
func TestMeasure(t *testing.T) {
	c := connect(t, nil)
	c.open("label.go")
	c.open("label_test.go")
	c.want("hints before", c.hints("label.go"))
	c.want("lenses before", c.lenses("label_test.go"), "measure", "suggest")
	if err := c.execute(t.Context(), commandMeasure, ""); err != nil {
		t.Fatal(err)
	}
	c.want("hints", c.hints("label.go"), "8: 106 allocs/op · 6816 B")
	c.want("lenses", c.lenses("label_test.go"), "106 allocs/op, 6816 B/op · measure", "suggest", "hold this budget")
	page, err := os.ReadFile(filepath.FromSlash("../../../book/in-your-editor/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, hint, _ := strings.Cut(strings.Join(c.hints("label.go"), ""), ": ")
	for _, shown := range []string{hint, strings.Join(c.lenses("label_test.go"), " | ")} {
		if !strings.Contains(string(page), shown) {
			t.Errorf("%q is not on the book's page", shown)
		}
	}
	hover := c.hover("label.go", 8)
	for _, part := range []string{"**106 allocs/op · 6816 B** in BenchmarkLabels", "append grows",
		"1. [label.go:8](" + c.uri("label.go") + "#L8)"} {
		if !strings.Contains(hover, part) {
			t.Errorf("%q is not in the hover:\n%s", part, hover)
		}
	}
	if got := c.hover("label.go", 6); got != "" {
		t.Errorf("hover on a line that does not allocate: %s", got)
	}

	// The figures are stale from the first edit on, and their lines follow the text. Both end with the edit.
	top := &span{position{}, position{}}
	c.edit("label.go", top, "// Package label writes labels.\n")
	c.want("shifted", c.hints("label.go"), "9: 106 allocs/op · 6816 B (stale)")
	c.want("stale", c.lenses("label_test.go"),
		"106 allocs/op, 6816 B/op (stale: label.go has changed since) · measure", "suggest")
	if hover := c.hover("label.go", 9); !strings.Contains(hover, "*Stale:* label.go has changed since") ||
		!strings.Contains(hover, "[label.go:9]") {
		t.Errorf("hover: %s", hover)
	}
	c.edit("label.go", &span{position{}, position{Line: 1}}, "")
	c.want("undone", c.hints("label.go"), "8: 106 allocs/op · 6816 B")

	// A budget is an edit that leaves the figures as they are.
	if all := c.actions("label_test.go", 18); len(all) != 3 {
		t.Errorf("actions of all kinds: %+v", all)
	}
	if got := c.actions("label.go", 1, "source"); len(got) != 2 || got[0].Command.Command != commandMeasure {
		t.Errorf("commands: %+v", got)
	}
	actions := c.actions("label_test.go", 18, "refactor")
	if len(actions) != 1 || actions[0].Title != "Hold this budget: //checkalloc:allocs<=106 bytes<=6816" {
		t.Fatalf("actions: %+v", actions)
	}
	edit := actions[0].Edit.Changes[c.uri("label_test.go")][0]
	const directive = "//\n//checkalloc:allocs<=106 bytes<=6816\n"
	if edit.NewText != directive || edit.Range.Start != (position{Line: 17}) {
		t.Errorf("edit: %+v", edit)
	}
	if err := c.execute(t.Context(), commandHold, "BenchmarkLabels"); err != nil || len(c.edits) != 1 {
		t.Errorf("hold: %v, %v", err, c.edits)
	}
	c.edit("label_test.go", &edit.Range, edit.NewText)
	c.want("held", c.lenses("label_test.go"), "106 allocs/op, 6816 B/op · measure", "suggest")
	c.want("no problems", c.problems("label_test.go"))
	c.edit("label_test.go", &span{position{18, 21}, position{18, 24}}, "1")
	c.want("over", c.problems("label_test.go"), "19: BenchmarkLabels: 106 allocs/op, budget allocs<=1")
	d := c.diagnostics[c.uri("label_test.go")][0]
	if len(d.Related) == 0 || d.Related[0].Location.URI != c.uri("label.go") ||
		d.Related[0].Location.Range.Start != (position{7, 2}) || d.Severity != severityWarning {
		t.Errorf("diagnostic: %+v", d)
	}
	c.edit("label_test.go", &span{position{18, 13}, position{18, 19}}, "allocations")
	if got := c.problems("label_test.go"); len(got) != 1 || !strings.HasPrefix(got[0], "19: ") {
		t.Errorf("unknown directive: %q", got)
	}

	// The unsaved text is what is measured. A package that does not build keeps its figures.
	c.edit("label_test.go", nil, label["label_test.go"])
	c.edit("label.go", &span{position{5, 0}, position{6, 0}}, "\n\tall := undefined\n")
	err = c.execute(t.Context(), commandMeasure, "")
	const why = "label.go:7: undefined: undefined"
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("the build fails with %v", err)
	}
	c.want("broken", c.lenses("label_test.go"), "106 allocs/op, 6816 B/op (stale: "+why+") · measure", "suggest")
	c.want("hints of the broken file", c.hints("label.go"), "9: 106 allocs/op · 6816 B (stale)")
	c.edit("label.go", nil, label["label.go"])
	c.want("undone", c.lenses("label_test.go"), "106 allocs/op, 6816 B/op · measure", "suggest", "hold this budget")
	c.want("hints of the file that was undone", c.hints("label.go"), "8: 106 allocs/op · 6816 B")
	c.edit("label.go", &span{position{5, 0}, position{6, 0}}, "\n\tall := make([]string, 0, len(numbers))\n")
	if err := c.execute(t.Context(), commandMeasure, ""); err != nil {
		t.Error(err)
	}
	c.want("mended", c.lenses("label_test.go"), "101 allocs/op, 4192 B/op · measure", "suggest", "hold this budget")
	if text, err := os.ReadFile(filepath.Join(c.dir, "label.go")); err != nil || string(text) != label["label.go"] {
		t.Errorf("the file on the disk has changed: %s, %v", text, err)
	}
	if got := c.seen(); !strings.Contains(got, "with unsaved changes") {
		t.Errorf("progress: %s", got)
	}

	// A file that is not open counts as it is on the disk.
	c.tell("textDocument/didClose", c.at("label.go", 0, 0))
	c.want("saved otherwise", c.lenses("label_test.go"),
		"101 allocs/op, 4192 B/op (stale: label.go has changed since) · measure", "suggest")
	c.call("shutdown", nil, new(any))
	c.tell("exit", nil)
	c.wait()
	if !c.polite {
		t.Error("the client has asked for the end")
	}
}

// TestWorkspace measures a package that imports a package of another module of the workspace. A file that was never
// saved is not measured, and the progress says so.
func TestWorkspace(t *testing.T) {
	c := connect(t, nil)
	t.Setenv("GOWORK", "")
	c.write("go.work", "go 1.26.0\n\nuse (\n\t./app\n\t./lib\n)\n")
	c.write("lib/go.mod", "module example.com/lib\n\ngo 1.26.0\n")
	c.write("lib/lib.go", "package lib\n\nfunc New() *[64]byte { return new([64]byte) }\n")
	c.write("app/go.mod", "module example.com/app\n\ngo 1.26.0\n")
	const bench = `package app

import (
	"testing"

	"example.com/lib"
)

var sink *[64]byte

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		sink = lib.New()
	}
}
`
	c.write("app/app_test.go", bench)
	c.openWith("app/app_test.go", bench)
	c.openWith("app/new.go", "package app\n")
	if err := c.executeFor(t.Context(), commandMeasure, "app/app_test.go", ""); err != nil {
		t.Fatal(err)
	}
	c.want("hints", c.hints("app/app_test.go"), "13: 1 alloc/op · 64 B")
	if got := c.seen(); !strings.Contains(got, "example.com/app without new.go, which is not saved") {
		t.Errorf("progress: %s", got)
	}
	// A package whose module is gone keeps its figures.
	if err := os.Remove(filepath.Join(c.dir, "lib", "lib.go")); err != nil {
		t.Fatal(err)
	}
	if err := c.executeFor(t.Context(), commandMeasure, "app/app_test.go", ""); err == nil {
		t.Error("a package that imports nothing was measured")
	}
	c.want("stale", c.hints("app/app_test.go"), "13: 1 alloc/op · 64 B (stale)")
}

// TestProofSuggest offers proven edits as code actions, until the text changes.
func TestProofSuggest(t *testing.T) {
	c := connect(t, nil)
	c.open("label.go")
	if err := c.execute(t.Context(), commandSuggest, ""); err != nil {
		t.Fatal(err)
	}
	c.want("messages", c.messages, "example.com/label: 1 edit is proven; it is a code action on its line")
	const title = "Give a slice or a map its capacity: 106 → 101 allocs/op, 6816 → 4192 B/op (proven)"
	c.want("problems", c.problems("label.go"), "8: "+title)
	actions := c.actions("label.go", 8, "quickfix")
	if len(actions) != 1 || actions[0].Title != title {
		t.Fatalf("actions: %+v", actions)
	}
	var changes []change
	for _, e := range actions[0].Edit.Changes[c.uri("label.go")] {
		changes = append([]change{{&e.Range, e.NewText}}, changes...)
	}
	text, err := apply([]byte(label["label.go"]), changes)
	if err != nil || !strings.Contains(string(text), "slices.Grow(all, len(numbers))") {
		t.Errorf("%s, %v", text, err)
	}
	c.edit("label.go", nil, string(text))
	if actions := c.actions("label.go", 8, "quickfix"); len(actions) > 0 {
		t.Errorf("actions after the edit: %+v", actions)
	}
	c.want("no problems", c.problems("label.go"))
}

// TestOrder answers requests that come too early or too late with an error, and unknown ones too.
func TestOrder(t *testing.T) {
	c := connect(t, []int{})
	for method, want := range map[string]string{
		"initialize":               "not valid now",
		"workspace/executeCommand": "takes one argument",
		"textDocument/rename":      "method not found",
	} {
		if _, err := c.Call(t.Context(), method, object{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", method, err, want)
		}
	}
	c.tell("textDocument/didOpen", object{"textDocument": object{"uri": "untitled:1", "text": "x"}})
	c.tell("textDocument/didOpen", object{"textDocument": 7})
	c.want("no file", c.hints("label.go"))
	c.call("shutdown", nil, new(any))
	if _, err := c.Call(t.Context(), "textDocument/hover", object{}); err == nil {
		t.Error("hover after shutdown")
	}
}

// TestFraming accepts any content type, and refuses messages that are not framed.
func TestFraming(t *testing.T) {
	for input, want := range map[string]string{
		"Content-Length: -1\r\n\r\n":                          "content-length",
		"Content-Type: x\r\n\r\n":                             "content-length",
		"Content-Length: 2\r\nContent-Type: x\r\n\r\n{}":      "",
		"Content-Length: 99\r\n\r\n{\"method\": \"initialize": "unexpected EOF",
	} {
		_, err := Serve(t.Context(), strings.NewReader(input), io.Discard, "test")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %v, want %q", input, err, want)
		}
	}
}

// TestSettings refuses settings that cannot be used, and takes an empty list for none.
func TestSettings(t *testing.T) {
	for text, ok := range map[string]bool{
		`{}`: true, `[]`: true, `{"bench": "Decode|Encode", "benchtime": "2s"}`: true, `{"benchtime": "100x"}`: true,
		`{"bench": "("}`: false, `{"benchtime": "-1s"}`: false, `{"benchtime": "soon"}`: false,
	} {
		var s settings
		if err := json.Unmarshal([]byte(text), &s); err != nil || (s.check() == nil) != ok {
			t.Errorf("%s: %v, %v", text, err, s.check())
		}
	}
}

// TestLinkedFile measures a file that is a symbolic link leading out of its module. A change where the link leads makes
// the figures stale.
func TestLinkedFile(t *testing.T) {
	c := connect(t, nil)
	elsewhere := filepath.Join(t.TempDir(), "label.go")
	linked := filepath.Join(c.dir, "label.go")
	if err := errors.Join(os.WriteFile(elsewhere, []byte(label["label.go"]), 0o600), os.Remove(linked)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, linked); err != nil {
		t.Skipf("NOT TESTED: a file that is a link. This user may not make one: %v", err)
	}
	c.open("label_test.go")
	if err := c.execute(t.Context(), commandMeasure, ""); err != nil {
		t.Fatal(err)
	}
	c.want("measured", c.lenses("label_test.go"), "106 allocs/op, 6816 B/op · measure", "suggest", "hold this budget")
	text := strings.Replace(label["label.go"], "package", "// Changed.\npackage", 1)
	if err := os.WriteFile(elsewhere, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c.want("changed", c.lenses("label_test.go"),
		"106 allocs/op, 6816 B/op (stale: label.go has changed since) · measure", "suggest")
}
