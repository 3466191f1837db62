package workspace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/internal/exercise"
)

// golden is a progress file that web/test/unit/progress.test.ts reads and writes, too.
const golden = "testdata/progress.json"

// fill sets the progress that the golden file has.
func fill(t *testing.T, p *Progress) {
	t.Helper()
	at := func(text string) *time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return &when
	}
	*p.Of("exercise6") = State{Passed: at("2026-03-01T10:00:00.125Z"), Hints: 2,
		Last: []exercise.Figure{{Name: "BenchmarkReplace", AllocsPerOp: 1, BytesPerOp: 64}}}
	*p.Of("exercise7") = State{Hints: 1}
	*p.Of("exercise10") = State{Last: []exercise.Figure{{Name: "BenchmarkOne", AllocsPerOp: 0.003, BytesPerOp: 1616.5},
		{Name: "BenchmarkTwo"}}}
	*p.Of("exercise15") = State{Passed: at("2026-03-02T18:30:15.123456789+01:00"), Spoiled: true}
	*p.Of("exercise99") = State{Passed: at("2026-03-03T00:00:00Z"), Hints: 4}
}

// TestAfter goes on as the verdict of a page does: web/test/unit/responses.test.ts reads the same file.
func TestAfter(t *testing.T) {
	text, err := os.ReadFile("testdata/next.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Exercise, Next string
		Passed         []string
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	var catalog exercise.Catalog
	for _, id := range []string{"exercise6", "exercise7", "exercise40"} {
		catalog = append(catalog, &exercise.Exercise{ID: id})
	}
	now := time.Now()
	for _, c := range cases {
		progress := &Progress{}
		for _, id := range c.Passed {
			progress.Of(id).Passed = &now
		}
		got := ""
		if next := progress.After(catalog.Lookup(c.Exercise), catalog); next != nil {
			got = next.ID
		}
		if got != c.Next {
			t.Errorf("%s after %v: next is %q, want %q", c.Exercise, c.Passed, got, c.Next)
		}
	}
}

func TestProgressOfThePage(t *testing.T) {
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	saved := func(w *Workspace, change func(*Progress)) []byte {
		t.Helper()
		if err := w.ChangeProgress(change); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(w.Root, ".checkalloc", "progress.json"))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}

	w, _, _ := solved(t)
	if got := saved(w, func(p *Progress) { fill(t, p) }); !bytes.Equal(got, want) {
		t.Errorf("written\n%s\nwant\n%s", got, want)
	}

	// A file that a page exported replaces the workspace's own.
	w, _, _ = solved(t)
	if err := os.MkdirAll(filepath.Join(w.Root, ".checkalloc"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w.Root, ".checkalloc", "progress.json"), string(want))
	p, err := w.Progress()
	if err != nil {
		t.Fatal(err)
	}
	if passed := p.Of("exercise15").Passed; passed == nil ||
		passed.UTC().Format(time.RFC3339Nano) != "2026-03-02T17:30:15.123456789Z" ||
		p.Of("exercise6").Hints != 2 || p.Of("exercise7").Passed != nil || len(p.Of("exercise10").Last) != 2 ||
		p.Of("exercise10").Last[0].BytesPerOp != 1616.5 {
		t.Errorf("%+v", p)
	}
	if got := saved(w, func(*Progress) {}); !bytes.Equal(got, want) {
		t.Errorf("read and written\n%s\nwant\n%s", got, want)
	}
}

// The environment variables with which this test binary changes the progress in place of testing: its role and the
// workspace.
const (
	roleVariable      = "WORKSPACE_TEST_ROLE"
	workspaceVariable = "WORKSPACE_TEST_ROOT"
)

// changes is the number of changes that each writer makes.
const changes = 25

func TestMain(m *testing.M) {
	w := &Workspace{Root: os.Getenv(workspaceVariable)}
	switch role := os.Getenv(roleVariable); role {
	case "":
		os.Exit(m.Run())
	case "holder": // holds the lock until stdin ends
		root, err := w.folder(stateDir, true)
		if err == nil {
			_, err = w.lock(root, time.Minute)
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("locked")
		io.Copy(io.Discard, os.Stdin)
	default: // changes the progress in the exercise "shared", and in the one that the role names
		for range changes {
			if err := w.ChangeProgress(func(p *Progress) {
				p.Of("shared").Hints++
				p.Of(role).Hints++
			}); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
		}
	}
}

func process(t *testing.T, w *Workspace, role string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, workspaceVariable+"="+w.Root)
	return cmd
}

// TestManyWriters changes the progress by several processes and goroutines at the same time.
func TestManyWriters(t *testing.T) {
	w, _, _ := solved(t)
	want := map[string]int{}
	ended := make(chan error)
	for i := range 4 {
		role := fmt.Sprintf("process%d", i)
		cmd := process(t, w, role)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() {
			if err := cmd.Wait(); err != nil {
				ended <- fmt.Errorf("%w: %s", err, out.Bytes())
				return
			}
			ended <- nil
		}()
		want[role] = changes
		want["shared"] += changes
	}
	for i := range 2 {
		role := fmt.Sprintf("goroutine%d", i)
		go func() {
			var err error
			for n := 0; n < changes && err == nil; n++ {
				err = w.ChangeProgress(func(p *Progress) {
					p.Of("shared").Hints++
					p.Of(role).Hints++
				})
			}
			ended <- err
		}()
		want[role] = changes
		want["shared"] += changes
	}
	for range 6 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	p, err := w.Progress()
	if err != nil {
		t.Fatal(err)
	}
	for role, n := range want {
		if got := p.Of(role).Hints; got != n {
			t.Errorf("%s: %d changes are left of %d", role, got, n)
		}
	}
}

// TestHungWriter proves that others do not wait forever for a process that keeps the lock, and get it when the process
// is killed.
func TestHungWriter(t *testing.T) {
	w, _, _ := solved(t)
	if err := w.ChangeProgress(func(p *Progress) { p.Of("exercise6").Hints = 2 }); err != nil {
		t.Fatal(err)
	}
	holder := process(t, w, "holder")
	stdin, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(stdout).ReadString('\n'); said != "locked\n" {
		t.Fatalf("%q, %v", said, err)
	}
	name := filepath.Join(w.Root, stateDir, lockFile)
	root, err := w.folder(stateDir, true)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	_, err = w.lock(root, 20*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(),
		"end it, or move that file away") {
		t.Errorf("a lock that another process holds: %v", err)
	}
	// Reading the progress needs no lock.
	if p, err := w.Progress(); err != nil || p.Of("exercise6").Hints != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	holder.Wait()
	if err := w.ChangeProgress(func(p *Progress) { p.Of("exercise6").Hints++ }); err != nil {
		t.Fatal(err)
	}
	if p, err := w.Progress(); err != nil || p.Of("exercise6").Hints != 3 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestQuestionsAreKept tests that answers to the book's questions, which a page exported, outlast a change.
func TestQuestionsAreKept(t *testing.T) {
	w, _, _ := solved(t)
	dir := filepath.Join(w.Root, stateDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, progressFile), `{"schema":"checkalloc/progress/2","exercises":{},`+
		`"questions":{"memory-profiling/buffer":{"choice":"the call","right":true}}}`)
	if err := w.ChangeProgress(func(p *Progress) { p.Of("exercise6").Hints++ }); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, progressFile))
	if err != nil || !strings.Contains(string(text), `"choice": "the call"`) ||
		!strings.Contains(string(text), `"hints": 1`) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestFormerProgress tests that progress from before the exercises were renumbered is read and saved under today's IDs,
// once. Each of exercise24, exercise3 and exercise40 is another exercise's ID now.
func TestFormerProgress(t *testing.T) {
	w, _, _ := solved(t)
	dir := filepath.Join(w.Root, stateDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, progressFile), `{"schema":"checkalloc/progress/1","exercises":{"exercise24":{"hints":1},`+
		`"exercise3":{"hints":2},"exercise18":{"hints":3},"exercise99":{"hints":4}},"questions":`+
		`{"memory-profiling/exercise1":1,"memory-profiling/buffer":2}}`)
	for range 2 {
		if err := w.ChangeProgress(func(*Progress) {}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, progressFile))
		want := `{"schema":"checkalloc/progress/2","exercises":{"exercise1":{"hints":3},"exercise3":{"hints":1},` +
			`"exercise40":{"hints":2},"exercise99":{"hints":4}},` +
			`"questions":{"memory-profiling/buffer":2,"memory-profiling/exercise6":1}}`
		if got := strings.Join(strings.Fields(string(text)), ""); err != nil || got != want {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
	}
}

// TestBrokenProgress proves that a file that cannot be read is not changed, and no temporary file is left.
func TestBrokenProgress(t *testing.T) {
	for _, text := range []string{"", "{", `[]`, `{"schema":"checkalloc/progress/3","exercises":{}}`,
		`{"schema":"checkalloc/progress/2","exercises":{"exercise6":{"hints":"two"}}}`, "\x00\x00\x00"} {
		w, _, _ := solved(t)
		dir := filepath.Join(w.Root, stateDir)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, progressFile), text)
		err := w.ChangeProgress(func(*Progress) { t.Errorf("%q is changed", text) })
		if err == nil || !strings.Contains(err.Error(), progressFile) || !strings.Contains(err.Error(), "move") {
			t.Errorf("%q: %v", text, err)
		}
		holds(t, dir, progressFile+": "+text, lockFile+": ")
	}
}
