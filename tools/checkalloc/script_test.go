package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/sandbox/jail"
	"onthestack/internal/verdict"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/command"
)

func TestMain(m *testing.M) {
	jail.Main()
	testscript.Main(m, programs)
}

// programs are the programs that tests find on PATH.
var programs = map[string]func(){"checkalloc": func() { os.Exit(scripted()) }}

// untimed writes to stdout without text that differs from run to run and from machine to machine: times, numbers of
// operations, and the release of Go.
type untimed struct{}

var times = regexp.MustCompile(` +[0-9.]+ ns/op| +N = \d+| +go1\S+ \w+/\w+`)

func (untimed) Write(p []byte) (int, error) {
	if _, err := os.Stdout.Write(times.ReplaceAll(p, nil)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// scripted runs checkalloc for scripts. In the environment, CATALOG is a file with sealed exercises that replace the
// workbook's, or into which a script seals some, PATIENCE the time limit of a program, and UNTIMED leaves times out of
// the output.
func scripted() int {
	var stdout io.Writer = os.Stdout
	if os.Getenv("UNTIMED") != "" {
		stdout = untimed{}
	}
	limits := sandbox.CheckLimits()
	if limit := os.Getenv("PATIENCE"); limit != "" {
		var err error
		if limits.Time, err = time.ParseDuration(limit); err != nil {
			panic(err)
		}
	}
	load := exercise.Sealed
	if name := os.Getenv("CATALOG"); name != "" {
		load = func() (exercise.Catalog, error) { return loadCatalog(name) }
	}
	catalog, err := load()
	if err != nil {
		panic(err)
	}
	return command.Run(app.New(catalog, limits, "checkalloc", os.Stdin, stdout, os.Stderr), os.Args[1:])
}

// loadCatalog loads sealed exercises from a file, which may not exist yet.
func loadCatalog(name string) (exercise.Catalog, error) {
	packed, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return exercise.Unpack(packed)
}

// runOn runs checkalloc on the exercises of a catalog.
func runOn(catalog exercise.Catalog, args []string, stdout, stderr io.Writer) int {
	return command.Run(app.New(catalog, sandbox.CheckLimits(), "checkalloc", strings.NewReader(""), stdout, stderr),
		args)
}

// newExercise is the small exercise that "dev new" begins with.
//
//go:embed author/new.txtar
var newExercise string

var update = flag.Bool("update", false, "rewrite what the scripts compare with, and what README.md shows")

// TestScript runs the scripts in testdata/script. Each proves one behavior of the command line.
func TestScript(t *testing.T) { runScripts(t, "testdata/script") }

// TestProofScript runs scripts that check many exercises, use the race detector, measure several packages of the user,
// or wait for limits of time.
func TestProofScript(t *testing.T) { runScripts(t, "testdata/proof") }

// TestNightlyScript runs scripts that have the standard library compiled anew.
func TestNightlyScript(t *testing.T) { runScripts(t, "testdata/nightly") }

func runScripts(t *testing.T, dir string) {
	goEnv := strings.Fields(output(t, "go", "env", "GOCACHE", "GOMODCACHE", "GOPATH", "GOVERSION", "GOROOT"))
	if len(goEnv) != 5 {
		t.Fatalf("go env: %q", goEnv)
	}
	testscript.Run(t, testscript.Params{
		Dir:             dir,
		UpdateScripts:   *update,
		ContinueOnError: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOCACHE", goEnv[0])
			env.Setenv("GOMODCACHE", goEnv[1])
			env.Setenv("GOPATH", goEnv[2])
			env.Setenv("GORELEASE", goEnv[3])
			// The command step compiles packages of the standard library into a folder of this cache. They are the same
			// for all runs, and take minutes on a busy machine.
			if cache, err := os.UserCacheDir(); err == nil {
				env.Setenv("USERCACHE", cache)
			}
			env.Setenv("HIDDEN", goEnv[4])
			env.Setenv("CATALOG", filepath.Join(env.WorkDir, "catalog"))
			return layFixture(env.WorkDir)
		},
		Condition: func(name string) (bool, error) {
			if name == "confinable" {
				return sandbox.Confinable() == nil, nil
			}
			return false, fmt.Errorf("there is no condition %s", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"code": code, "verdict": verdictIs,
			"bytes": writeBytes,
			"solve": solve, "sums": sums, "spoil": spoil, "quiet": quiet,
			"step": actionStep, "job": gitlabJob, "page": onPage},
	})
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// layFixture writes a workbook of two small exercises: the file catalog has the sealed copies, ws/ is a workspace.
func layFixture(dir string) error {
	var all exercise.Catalog
	archives := map[string][]byte{}
	for _, id := range []string{"exercise6", "exercise7"} {
		files, solution := map[string][]byte{}, map[string][]byte{}
		for _, f := range txtar.Parse([]byte(strings.ReplaceAll(newExercise, "NAME", id))).Files {
			if name, ok := strings.CutPrefix(f.Name, "solutions/"+id+"/"); ok {
				solution[name] = f.Data
			} else {
				files[strings.TrimPrefix(f.Name, "exercises/"+id+"/")] = f.Data
			}
		}
		manifest := files[exercise.ManifestFile]
		delete(files, exercise.ManifestFile)
		e, err := exercise.New(id, manifest, files, solution)
		if err != nil {
			return err
		}
		e.Figures = &exercise.Figures{
			Go:       "go1.26.8",
			Starter:  []exercise.Figure{{Name: "BenchmarkSum", AllocsPerOp: 4, BytesPerOp: 26}},
			Solution: []exercise.Figure{{Name: "BenchmarkSum"}},
		}
		name, archive, err := exercise.Seal(e)
		if err != nil {
			return err
		}
		archives[name] = archive
		all = append(all, e)
	}
	packed, err := exercise.Pack(archives)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "catalog"), packed, 0o666); err != nil {
		return err
	}
	var stderr bytes.Buffer
	if code := runOn(all, []string{"init", filepath.Join(dir, "ws")}, io.Discard, &stderr); code != 0 {
		return errors.New(stderr.String())
	}
	return nil
}

// code runs "code N args…": checkalloc with these arguments ends with exit code N, leaves nothing in TMPDIR, and names
// no folder of this machine but the workspace.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: code N args…")
	}
	// By its path, because a script may change PATH.
	program, err := exec.LookPath("checkalloc")
	ts.Check(err)
	err = ts.Exec(program, args[1:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("checkalloc: %v", err)
	}
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
	tmp := ts.Getenv("TMPDIR")
	left, err := os.ReadDir(tmp)
	ts.Check(err)
	for _, entry := range left {
		ts.Fatalf("left behind in TMPDIR: %s", entry.Name())
	}
	for _, stream := range []string{"stdout", "stderr"} {
		text := ts.ReadFile(stream)
		for _, hidden := range []string{tmp, ts.Getenv("HIDDEN"), "checkalloc-build-", "checkalloc-run-"} {
			if strings.Contains(text, hidden) {
				ts.Fatalf("%s shows %s", stream, hidden)
			}
		}
		if strings.ContainsAny(text, "\x1b") {
			ts.Fatalf("%s is not a terminal but has color", stream)
		}
	}
}

// verdictIs runs "verdict PASS STAGE": the last command printed a verdict in JSON with these values and without a null.
func verdictIs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: verdict true|false STAGE")
	}
	text := ts.ReadFile("stdout")
	var v struct {
		Schema string
		Pass   bool
		Stage  string
	}
	ts.Check(json.Unmarshal([]byte(text), &v))
	if fmt.Sprint(v.Pass) != args[0] || v.Stage != args[1] || v.Schema != "checkalloc/verdict/1" {
		ts.Fatalf("pass %v, stage %q, schema %q", v.Pass, v.Stage, v.Schema)
	}
	if strings.Contains(text, ":null") {
		ts.Fatalf("null in %s", text)
	}
	// The order of the fields is part of the format.
	at := -1
	for _, key := range []string{"schema", "exercise", "title", "go", "goos", "goarch", "engine", "pass", "stage",
		"errors", "tests", "benchmarks", "allocations", "escapes", "set_aside"} {
		i := strings.Index(text[at+1:], `"`+key+`":`)
		if i < 0 {
			ts.Fatalf("%s is missing or before the previous key in %s", key, text)
		}
		at += 1 + i
	}
}

// writeBytes runs "bytes FILE crlf|bom|latin1|large": it makes this change to the file.
func writeBytes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: bytes FILE CHANGE")
	}
	text := []byte(ts.ReadFile(args[0]))
	switch args[1] {
	case "crlf":
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	case "bom":
		text = append([]byte("\ufeff"), text...)
	case "latin1":
		text = append(text, "\n// caf\xe9\n"...)
	case "large":
		text = append(text, bytes.Repeat([]byte("// more\n"), 2<<20/8)...)
	default:
		ts.Fatalf("no change %s", args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o666))
}

// sums runs "sums": in the verdict that the last command printed, the allocations of the lines add up to the
// allocations of each benchmark.
func sums(ts *testscript.TestScript, neg bool, args []string) {
	var v verdict.Verdict
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for _, b := range v.Benchmarks {
		allocs, bytes := b.AllocsPerOp, b.BytesPerOp
		for _, a := range v.Allocations {
			if a.Benchmark == b.Name {
				allocs, bytes = allocs-a.AllocsPerOp, bytes-a.BytesPerOp
			}
		}
		// A collection now and then empties the pool of a package that a line calls, such as fmt's, and the line has a
		// fraction of a byte for that.
		if math.Abs(allocs) > 1e-9 || math.Abs(bytes) > 0.1 {
			ts.Fatalf("%s: %v allocs/op and %v B/op more than on its lines", b.Name, allocs, bytes)
		}
	}
	if len(v.Benchmarks) == 0 {
		ts.Fatalf("no benchmark")
	}
}

// slow matches what a check that takes long writes to stderr.
var slow = regexp.MustCompile(`(?m)^(checking|building) \S+ … \(.*\n`)

// quiet runs "quiet": the last command wrote nothing to stderr, except that it takes long.
func quiet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: quiet")
	}
	if said := slow.ReplaceAllString(ts.ReadFile("stderr"), ""); said != "" {
		ts.Fatalf("stderr says %q", said)
	}
}

// spoil runs "spoil DIR": it changes every verdict that is cached there to one that passed.
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: spoil DIR")
	}
	names, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.json"))
	ts.Check(err)
	if len(names) == 0 {
		ts.Fatalf("nothing is kept in %s", args[0])
	}
	for _, name := range names {
		text := ts.ReadFile(name)
		ts.Check(os.WriteFile(name, []byte(strings.ReplaceAll(text, `"pass":false`, `"pass":true`)), 0o666))
	}
}

// solve runs "solve": it replaces the starters in the workspace below the current folder by the workbook's solutions.
func solve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: solve")
	}
	catalog, err := exercise.Sealed()
	ts.Check(err)
	for _, e := range catalog {
		for name, text := range e.Solution {
			ts.Check(os.WriteFile(ts.MkAbs("exercises/"+e.ID+"/"+name), text, 0o666))
		}
	}
}
