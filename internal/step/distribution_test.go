package step_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"onthestack/internal/execution"
	"onthestack/internal/programs"
	"onthestack/internal/sandbox"
	"onthestack/internal/step"
)

// distributed are programs of the Go distribution's test folder, of at most 100 lines, that end within the limit on
// steps: one of each kind, and then the others.
var distributed, similar = []string{
	"convert.go", "decl.go", "deferprint.go", "devirtualization_nil_panics.go", "func.go", "goprint.go",
	"helloworld.go", "method3.go", "recover3.go", "typeswitch1.go", "ken/interfun.go", "ken/ptrvar.go",
	"ken/robfor.go", "ken/simpswitch.go",
}, []string{
	"char_lit.go", "defer.go", "for.go", "func5.go", "if.go", "indirect.go", "initcomma.go", "int_lit.go", "print.go",
	"printbig.go", "recover2.go", "simassign.go", "varinit.go", "zerosize.go",
	"ken/intervar.go", "ken/litfun.go", "ken/mfunc.go", "ken/ptrfun.go", "ken/rob1.go", "ken/simpfun.go",
}

// TestProofDistribution steps through programs that others wrote. The output and the exit code are the same as in a
// plain run, and the steps lead to the program's end.
func TestProofDistribution(t *testing.T) { testDistribution(t, distributed) }

// TestNightlyDistribution does the same with programs that are similar to those.
func TestNightlyDistribution(t *testing.T) { testDistribution(t, similar) }

func testDistribution(t *testing.T, names []string) {
	folder := filepath.Join(runtime.GOROOT(), "test")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("NOT TESTED: this Go distribution comes without its folder test, so no programs of others are stepped " +
			"through: a Go from go.dev/dl has it")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
			if err != nil {
				t.Fatal(err)
			}
			s := stepper(t, time.Minute)
			d, err := s.Steps(t.Context(), string(text))
			if err != nil || d.Errors != "" {
				t.Fatal(err, d.Errors)
			}
			valid(t, d)
			play := programs.Playground{Compiler: s.Compiler, Runner: sandbox.Wasm{
				Limits: sandbox.Limits{
					Time: time.Minute, Memory: 256 << 20, Output: 64 << 10, Ready: 10 * time.Minute,
				},
			}}
			plain, err := play.Compile(t.Context(), string(text), false)
			if err != nil {
				t.Fatal(err)
			}
			var printed strings.Builder
			for _, s := range d.Steps {
				printed.WriteString(s.Output)
			}
			if want := output(plain.Events); printed.String() != want || d.End.Exit != plain.Status {
				t.Errorf("printed %q, exit %d\nwant    %q, exit %d", printed.String(), d.End.Exit, want, plain.Status)
			}
			if d.Cut != "" || d.End.Kind == step.EndBroken {
				t.Errorf("%+v, cut %q", d.End, d.Cut)
			}
			t.Logf("%d steps, %d lines that allocate, unmeasured %q", len(d.Steps), len(d.Lines), d.Unmeasured)
		})
	}
}

func output(events []execution.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(e.Message)
	}
	return b.String()
}
