package api

import (
	"strings"
	"testing"
	"time"
)

func TestImports(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"by symbol", "var _ = rand.IntN", `"math/rand/v2"`},
		{"by symbol, older", "var _ = rand.Intn", `"math/rand"`},
		{"the safer one", "var _ = rand.Read", `"crypto/rand"`},
		{"all symbols", "var _, _ = template.HTMLEscaper, template.JS(\"\")", `"html/template"`},
		{"unknown symbol", "var _ = fmt.Nothing", ""},
		{"a module of this machine", "var _ = wazero.NewRuntime", ""},
		{"a package of this repository", "var _ = verdict.Schema", ""},
		{"a variable of that name", "func f(strings struct{ ToUpper int }) int { return strings.ToUpper }", ""},
	} {
		got, err := formatProgram(t.Context(), t.TempDir(), "package p\n\n"+c.in+"\n", true, outOfReach)
		if err != nil || got.Mistake != "" {
			t.Fatal(err, got.Mistake)
		}
		_, imported, _ := strings.Cut(got.Text, "import ")
		imported, _, _ = strings.Cut(imported, "\n")
		if imported != c.want {
			t.Errorf("%s: imports %s, want %s", c.name, imported, c.want)
		}
	}
}

// TestFormatByTheClock has the wall-clock time end the formatting of a program.
func TestFormatByTheClock(t *testing.T) {
	got, err := formatProgram(t.Context(), t.TempDir(), "package p\n", true, time.Nanosecond)
	if want := "prog.go: formatting took longer than 1ns and was stopped"; err != nil || got.Mistake != want {
		t.Errorf("got %+v, %v, want %q", got, err, want)
	}
}
