package programs_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
)

// TestPlayground answers with a real toolchain and the sandbox, without a vetter. The runner's tests send far more.
func TestPlayground(t *testing.T) {
	tools, err := build.OpenCached(t.Context(), build.DefaultLimits(), build.IsolatedOptions{}, "fmt", "testing")
	if err != nil {
		t.Fatal(err)
	}
	defer tools.Close()
	play := programs.Playground{
		Compiler: programs.Compiler{
			Builder: tools, GOOS: "wasip1", Language: strings.TrimPrefix(build.Oldest, "go"),
		},
		Runner: sandbox.Wasm{Limits: sandbox.Limits{
			Time: time.Minute, Memory: 256 << 20, Output: 64 << 10, Ready: 10 * time.Minute,
		}},
		Output: 64 << 10,
	}
	for _, c := range []struct{ name, body, want string }{
		{"hello", "package main\n\nfunc main() { print(\"hi\") }\n",
			`{"Errors":"","Events":[{"Message":"hi","Kind":"stderr","Delay":0}],` +
				`"Status":0,"IsTest":false,"TestsFailed":0}`},
		{"a mistake", "package main\n\nfunc main() { x() }\n",
			`{"Errors":"./prog.go:3:15: undefined: x\n","Events":null,"Status":0,"IsTest":false,"TestsFailed":0}`},
		{"nothing", "",
			`{"Errors":"there is no program: it is empty\n","Events":null,"Status":0,"IsTest":false,"TestsFailed":0}`},
		{"output without end", "package main\n\nfunc main() { for { print(\"xxxxxxxxxxxxxxxx\") } }\n",
			`{"Errors":"Output too large: the program printed more than 64 KiB, of which at most the first 16 are shown","Events":[{"Message":"` +
				strings.Repeat("x", 16<<10) +
				`","Kind":"stderr","Delay":0}],"Status":0,"IsTest":false,"TestsFailed":0}`},
		{"a test that fails", "package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Fail() }\n",
			`{"Errors":"","Events":[{"Message":"=== RUN   TestX\n--- FAIL: TestX (0.00s)\nFAIL\n",` +
				`"Kind":"stdout","Delay":0}],` +
				`"Status":1,"IsTest":true,"TestsFailed":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := play.Compile(t.Context(), c.body, true)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(got)
			if want := strings.ReplaceAll(c.want, "\n", `\n`); err != nil || string(text) != want {
				t.Errorf("%s, %v\nwant %s", text, err, want)
			}
		})
	}
	report, err := play.Explain(t.Context(), "package main\n\nfunc f() *int { return new(int) }\n")
	if err != nil || report.Errors != "" || len(report.Escapes) == 0 || report.Escapes[0].File != "prog.go" {
		t.Errorf("%+v, %v", report, err)
	}
}
