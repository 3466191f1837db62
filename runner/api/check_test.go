package api

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

func postCheck(t *testing.T, exercise string, files map[string]string) answer {
	t.Helper()
	return postCheckTo(t, base, exercise, files)
}

func postCheckTo(t *testing.T, address, exercise string, files map[string]string) answer {
	t.Helper()
	body, err := json.Marshal(checkRequest{exercise, files})
	if err != nil {
		t.Fatal(err)
	}
	return send(t, "POST", address+"/check", "application/json", string(body))
}

func check(t *testing.T, exercise string, files map[string]string) verdict.Verdict {
	t.Helper()
	a := postCheck(t, exercise, files)
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return decode[verdict.Verdict](t, a)
}

func texts(files map[string][]byte) map[string]string {
	out := map[string]string{}
	for name, text := range files {
		out[name] = string(text)
	}
	return out
}

// TestCheckStarterAndSolution tests that an exercise's starter misses its target and its solution passes, with the
// figures that they have natively. Package verdict holds all engines to the same verdict on all exercises.
func TestCheckStarterAndSolution(t *testing.T) {
	t.Parallel()
	e := sealedExercises().Lookup("exercise6")
	starter := check(t, e.ID, texts(e.Starter()))
	if starter.Pass || starter.Stage != verdict.StageBenchmark || starter.Engine != "wasm" ||
		len(starter.Allocations) == 0 {
		t.Fatalf("the starter gives %+v", starter)
	}
	solution := check(t, e.ID, solutionWithMore(e))
	if !solution.Pass || solution.Stage != "" || strings.Join(solution.SetAside, " ") != "more.go more_test.go" {
		t.Fatalf("the solution gives %+v", solution)
	}
	if e.Figures == nil {
		t.Fatal("no figures: run \"go run ./tools/checkalloc dev seal\"")
	}
	for what, pair := range map[string]struct {
		got  verdict.Verdict
		want []exercise.Figure
	}{"starter": {starter, e.Figures.Starter}, "solution": {solution, e.Figures.Solution}} {
		for i, want := range pair.want {
			if got := pair.got.Benchmarks[i]; got.AllocsPerOp != want.AllocsPerOp || got.BytesPerOp != want.BytesPerOp {
				t.Errorf("the %s's %s measures %v allocs/op and %v B/op here, %v and %v natively",
					what, want.Name, got.AllocsPerOp, got.BytesPerOp, want.AllocsPerOp, want.BytesPerOp)
			}
		}
	}
}

// solutionWithMore returns the solution of an exercise with files that are not the reader's to edit, which are set
// aside.
func solutionWithMore(e *exercise.Exercise) map[string]string {
	files := texts(e.Solution)
	files["more_test.go"] = "package other\n"
	files["more.go"] = "package " + e.Package + "\n\nfunc init() { panic(1) }\n"
	return files
}

// A wrongSolution is a solution of exercise6 that fails at a stage.
type wrongSolution struct{ name, text, stage, want string }

// insideReplace returns the starter of exercise6 with code at the beginning of its function.
func insideReplace(code string) string {
	starter := string(sealedExercises().Lookup("exercise6").Files["stream.go"])
	// The body of the function begins after the line of its signature.
	at := strings.Index(starter, "\nfunc ")
	at += strings.Index(starter[at:], "{\n") + 2
	return starter[:at] + code + starter[at:]
}

func TestCheckWrongSolutions(t *testing.T) {
	checkWrong(t,
		wrongSolution{"build", insideReplace("\tx := 1\n"), verdict.StageBuild, "declared and not used: x"},
		wrongSolution{"policy", insideReplace("") + "\nfunc init() {}\n", verdict.StagePolicy,
			"func init is not allowed here"},
		wrongSolution{"panic", insideReplace("\tpanic(\"no\")\n"), verdict.StageTests, "panic: no"})
}

// TestProofCheckStoppedSolutions checks solutions that a limit stops.
func TestProofCheckStoppedSolutions(t *testing.T) {
	checkWrong(t,
		wrongSolution{"output", insideReplace("\tfor {\n\t\tprintln(\"again and again and again and again and again " +
			"and again and again\")\n\t}\n"), verdict.StageTests, "printed more than 1 MiB and was stopped"},
		wrongSolution{"memory", insideReplace("\tfor b := []byte{1}; ; b = append(b, b...) {\n\t}\n"),
			verdict.StageTests, "out of memory"})
}

// checkWrong checks wrong solutions, and that they leave nothing behind.
func checkWrong(t *testing.T, solutions ...wrongSolution) {
	before := takeStock(t)
	for _, c := range solutions {
		v := check(t, "exercise6", map[string]string{"stream.go": c.text})
		said := v.Tests.Output
		for _, p := range v.Errors {
			said += p.Message + "\n"
		}
		if v.Pass || v.Stage != c.stage || !strings.Contains(said, c.want) {
			t.Errorf("%s: stage %q says %q, want %q and %q", c.name, v.Stage, said, c.stage, c.want)
		}
	}
	before.compare(t)
}

// TestProofCheckEndless tests that a time limit ends a solution. The policy refuses one that sleeps.
func TestProofCheckEndless(t *testing.T) {
	s := idleServer(t, 1, 0)
	s.settings.Check.Time = 2 * time.Second
	ts := startServer(t, s.handler())
	e := sealedExercises().Lookup("exercise6")
	const file, at = "stream.go", "len(find) == 0 {\n"
	text := strings.Replace(string(e.Files[file]), at, at+"\t\tfor {\n\t\t}\n", 1)
	if text == string(e.Files[file]) {
		t.Fatalf("%s has no %q", file, at)
	}
	body, err := json.Marshal(checkRequest{Exercise: e.ID, Files: map[string]string{file: text}})
	if err != nil {
		t.Fatal(err)
	}
	v := decode[verdict.Verdict](t, send(t, "POST", ts.URL+"/check", "application/json", string(body)))
	if v.Pass || v.Stage != verdict.StageTests || !strings.Contains(v.Tests.Output,
		"ran longer than 2s and was stopped") {
		t.Errorf("pass %v, stage %q: %s", v.Pass, v.Stage, v.Tests.Output)
	}
	// The result is transient, because a faster machine may finish the build in time.
	if n := s.builds.Stored().Entries; n != 0 {
		t.Error("the answer is cached")
	}
}

// TestCheckWithoutFiles checks a solution that lacks its file.
func TestCheckWithoutFiles(t *testing.T) {
	t.Parallel()
	if v := check(t, "exercise6", nil); v.Pass || v.Stage != verdict.StagePolicy {
		t.Errorf("%+v", v)
	}
}

func TestCheckRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 30000)
	for _, c := range []struct {
		name, body string
		status     int
		want       string
	}{
		{"exercise", `{"exercise":"exercise99","files":{}}`, 404,
			"there is no such exercise: /api/exercises lists them"},
		{"path", `{"exercise":"exercise6","files":{"../x.go":""}}`, 400, `"../x.go" is not the name of a file`},
		{"absolute", `{"exercise":"exercise6","files":{"/etc/passwd":""}}`, 400, "is not the name of a file"},
		{"NUL", `{"exercise":"exercise6","files":{"a\u0000.go":""}}`, 400, "is not the name of a file"},
		{"no name", `{"exercise":"exercise6","files":{"":""}}`, 400, "is not the name of a file"},
		{"half a character", `{"exercise":"exercise6","files":{"stream.go":"package \ud83d"}}`, 400,
			`has \ud83d, an unpaired UTF-16 surrogate`},
		{"number", `{"exercise":1}`, 400, "is not the expected JSON"},
		{"list", `[]`, 400, "is not the expected JSON"},
		{"field", `{"exercise":"exercise6","source":""}`, 400, `unknown field "source"`},
		{"garbage", `{"exercise":"exercise6"} x`, 400, "something after its JSON"},
		{"cut off", `{"exercise":"exerc`, 400, "is not the expected JSON"},
		{"empty", ``, 400, "has no body"},
		{"UTF-8", "{\"exercise\":\"\xff\"}", 400, "not valid UTF-8"},
		{"depth", deep, 400, "is not the expected JSON"},
		{"form", `exercise=exercise6`, 400, "is not the expected JSON"},
		{"size", `{"exercise":"exercise6","files":{"stream.go":"` + strings.Repeat("x", maxProgram+1) + `"}}`, 413,
			"the solution is larger than 64 KiB"},
		{"size of the request", `{"exercise":"exercise6","files":{"stream.go":"` + strings.Repeat("x", maxBody) + `"}}`,
			413,
			"the request is larger than 196 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantError(t, send(t, "POST", "/check", "application/json", c.body), c.status, c.want)
		})
	}
	wantError(t, send(t, "GET", "/check", "", ""), http.StatusMethodNotAllowed, "by POST")
}
