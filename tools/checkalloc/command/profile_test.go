package command

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
)

// A labeled sample has objects of 64 bytes that Find makes for an endpoint.
type labeled struct {
	endpoint       string
	objects, inUse int64
}

// writeProfile writes a heap profile in which every object is recorded. Find is called by Handle.
func writeProfile(t *testing.T, name string, samples ...labeled) {
	t.Helper()
	function := func(id uint64, name string, begin int64) *profile.Function {
		return &profile.Function{ID: id, Name: "example.com/m." + name, SystemName: "example.com/m." + name,
			Filename: "/src/m/m.go", StartLine: begin}
	}
	find, handle := function(1, "Find", 5), function(2, "Handle", 7)
	stack := []*profile.Location{{ID: 1, Address: 0x1000, Line: []profile.Line{{Function: find, Line: 5}}},
		{ID: 2, Address: 0x2000, Line: []profile.Line{{Function: handle, Line: 7}}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "alloc_objects"}, {Type: "alloc_space"}, {Type: "inuse_objects"},
			{Type: "inuse_space"}},
		PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 1,
		Location: stack, Function: []*profile.Function{find, handle},
	}
	for _, s := range samples {
		p.Sample = append(p.Sample, &profile.Sample{Location: stack, NumLabel: map[string][]int64{"bytes": {64}},
			Label: map[string][]string{"endpoint": {s.endpoint}},
			Value: []int64{s.objects, 64 * s.objects, s.inUse, 64 * s.inUse}})
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestProfileTreeFlags tests the figures of the tree of calls with the flags that choose other figures, alone and
// together.
func TestProfileTreeFlags(t *testing.T) {
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOWORK", "off")
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"m.go": "package m\n\nimport \"strings\"\n\nfunc Find(s string) string { return strings.Repeat(s, 2) }\n\n" +
			"func Handle() string { return Find(\"a\") }\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	writeProfile(t, "allocs", labeled{"/find", 10, 2}, labeled{"/list", 20, 4})
	writeProfile(t, "before", labeled{"/find", 4, 1})
	for flags, want := range map[string]string{ // bytes and objects
		"":                               "1920 B 30",
		"--per requests=10":              "192 B 3",
		"--label endpoint=/find":         "640 B 10",
		"--inuse":                        "384 B 6",
		"--base before":                  "1664 B 26",
		"--inuse --label endpoint=/list": "256 B 4",
		"--inuse --base before":          "320 B 5",
		"--base before --per requests=2 --label endpoint=/find":     "192 B 3",
		"--inuse --base before --per days=2 --label endpoint=/find": "32 B 0.5",
	} {
		t.Run(flags, func(t *testing.T) {
			var out, stderr bytes.Buffer
			args := append([]string{"explain", "--profile", "allocs", "--tree"}, strings.Fields(flags)...)
			if code := Run(app.New(nil, sandbox.CheckLimits(), "checkalloc", strings.NewReader(""), &out, &stderr),
				args); code != app.ExitPassed {
				t.Fatalf("exit code %d: %s", code, &stderr)
			}
			_, tree, _ := strings.Cut(out.String(), "share")
			for _, row := range []string{"100 % " + want + " m.Handle → m.Find", "100 % " + want + " ╰─ m.go:5 func Find("} {
				if !strings.Contains(strings.Join(strings.Fields(tree), " "), row) {
					t.Errorf("the tree lacks %q:\n%s", row, out.String())
				}
			}
		})
	}
}
