package bookdata

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestClassroomFigure(t *testing.T) {
	f := &Classroom{
		Go: "go1.26.8", Cores: 2, Clients: 60, Presses: 5, Within: 60, Took: 200.4, Server: 300 << 20, All: 700<<20 +
			1<<19,
		CheckEvery: 60, HandInEvery: 300, Rate: 1.5, Speedup: 1.904,
		Kinds: []ClassroomKind{{Name: "disk", P95: 0.0123},
			{Name: "run", Requests: 140, Busy: 3, P50: 0.44, P95: 12.3, Most: 119.6}},
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "measured"), 0o777); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, filepath.FromSlash(ClassroomFile))
	for _, engine := range []string{"wasm", "confined", "wasm"} { // the last replaces the first
		if err := WriteClassroom(name, engine, f); err != nil {
			t.Fatal(err)
		}
	}
	all, err := ReadClassrooms(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Figure("native", "", "go"); err == nil ||
		!strings.Contains(err.Error(), `of the engine "native": run`) {
		t.Errorf("an engine that was not measured: %v", err)
	}
	for _, c := range []struct{ kind, name, want string }{
		{"", "go", "Go 1.26.8"}, {"", "cores", "2"}, {"", "clients", "60"}, {"", "presses", "5"}, {"", "within",
			"60 s"},
		{"", "took", "3 min 20 s"},
		{"", "server", "300 MiB"}, {"", "memory", "701 MiB"},
		{"", "check-every", "60 s"}, {"", "hand-in-every", "5 min 0 s"}, {"", "rate", "1.50"}, {"", "speedup", "1.90"},
		{"", "needed", "45"}, // 10,000 submissions in 300 s, at 0.75 each second by each of two workers
		{"disk", "p95", "12 ms"}, {"disk", "p50", "0.0 s"},
		{"run", "requests", "140"}, {"run", "busy", "3"}, {"run", "p50", "0.4 s"}, {"run", "p95", "12 s"},
		{"run", "most", "2 min 0 s"},
	} {
		if got, err := all.Figure("confined", c.kind, c.name); err != nil || got != c.want {
			t.Errorf("%s %s: %q, %v, want %q", c.kind, c.name, got, err, c.want)
		}
	}
	for _, c := range []struct{ kind, name, want string }{
		{"", "p50", `no figure "p50": the figures are check-every,`},
		{"run", "go", `no figure "go": the figures are busy,`},
		{"walk", "p50", `no requests of the kind "walk"`},
	} {
		if _, err := all.Figure("wasm", c.kind, c.name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v", c.kind, c.name, err)
		}
	}
}

func TestReadClassroomsSaysWhatToDo(t *testing.T) {
	for name, book := range map[string]fstest.MapFS{"missing": {}, "broken": {ClassroomFile: {Data: []byte("{")}}} {
		if _, err := ReadClassrooms(book); err == nil || !strings.Contains(err.Error(), ClassroomFile) ||
			!strings.Contains(err.Error(), ClassroomCommand) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
