package compilelink_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"strings"
	"testing"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// A cachingMachine is a machine that caches archives, and lists the tools that it runs.
type cachingMachine struct {
	machine
	archives map[compilelink.Key][]byte
	ran      *[]string
}

func (m cachingMachine) Read(name string) ([]byte, error) { return os.ReadFile(m.Path(name)) }

func (m cachingMachine) Restore(key compilelink.Key, name string) bool {
	text, ok := m.archives[key]
	return ok && m.Write(name, text) == nil
}

func (m cachingMachine) Store(key compilelink.Key, name string) {
	if text, err := m.Read(name); err == nil {
		m.archives[key] = text
	}
}

func (m cachingMachine) Run(ctx context.Context, tool string, args ...string) (execution.ToolResult, error) {
	*m.ran = append(*m.ran, tool)
	return m.machine.Run(ctx, tool, args...)
}

// planned is a Builder that keeps what it is to build.
type planned struct {
	builder
	source execution.Source
}

func (p *planned) BuildTest(_ context.Context, src execution.Source) (*execution.Build, error) {
	p.source = src
	return &execution.Build{Close: func() error { return nil }}, nil
}

// TestReuse builds the tests of edited solutions one after the other with a machine that keeps archives. An unchanged
// package is compiled once, and each program equals the program that a machine without archives builds.
func TestReuse(t *testing.T) {
	tools := toolchain(t)
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	e := catalog.Lookup("exercise6")
	const all, edited = "compile compile compile link", "compile link"
	archives := map[compilelink.Key][]byte{}
	for _, c := range []struct {
		name string
		edit func(text string) string
		ran  string
	}{
		{"the first", func(text string) string { return text }, all},
		{"a comment behind it", func(text string) string { return text + "\n// edited\n" }, edited},
		{"another body", func(text string) string { return replaced(t, text, "held := 0", "held := 0; held += 0") },
			edited},
		{"one more function that is not exported", func(text string) string {
			return text + "\nfunc unused(n int) *int { return &n }\n"
		}, edited},
		{"one more exported function", func(text string) string {
			return text + "\nfunc Unused(n int) *int { return &n }\n"
		}, all},
		{"the same that is inlined otherwise", func(text string) string {
			return text + "\nfunc Unused(n int) *int { n++; return &n }\n"
		}, all},
		{"a mistake", func(text string) string { return text + "\nfunc wrong() int { return \"\" }\n" }, "compile"},
		{"another signature", func(text string) string { return replaced(t, text, "func Replace(", "func Replaced(") },
			"compile compile"},
		{"the first again", func(text string) string { return text + "\n// edited again\n" }, edited},
	} {
		files := maps.Clone(e.Starter())
		for name, text := range files {
			files[name] = []byte(c.edit(string(text)))
		}
		p := &planned{builder: builder{tools, t}}
		if _, err := (verdict.Checker{Builder: p, Runner: p}).Check(t.Context(), e, files); err != nil {
			t.Fatal(err)
		}
		plan, ok := tools.Test(p.source)
		if !ok {
			t.Fatalf("%s: it is not built directly", c.name)
		}
		var ran []string
		with := cachingMachine{machine{t.TempDir(), tools.dir}, archives, &ran}
		without := machine{t.TempDir(), tools.dir}
		one, err := plan.Build(t.Context(), with)
		if err != nil {
			t.Fatal(err)
		}
		other, err := plan.Build(t.Context(), without)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(ran, " "); got != c.ran {
			t.Errorf("%s: ran %s, want %s", c.name, got, c.ran)
		}
		if one.OK != other.OK || !bytes.Equal(one.Output, other.Output) {
			t.Errorf("%s: OK %v, %s\nwithout archives %v, %s", c.name, one.OK, one.Output, other.OK, other.Output)
		}
		if one.OK && !bytes.Equal(read(t, with.machine), read(t, without)) {
			t.Errorf("%s: another program", c.name)
		}
	}
}

func read(t *testing.T, m machine) []byte {
	t.Helper()
	text, err := os.ReadFile(m.Path(compilelink.Binary))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func replaced(t *testing.T, text, from, to string) string {
	t.Helper()
	if !strings.Contains(text, from) {
		t.Fatalf("there is no %s in\n%s", from, text)
	}
	return strings.Replace(text, from, to, 1)
}
