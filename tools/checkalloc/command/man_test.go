package command

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/tools/checkalloc/app"
)

// manDir is where "make man" has the pages. A test writes them, because the package that formats them brings a Markdown
// parser, which would be compiled before the first check on a machine.
var manDir = flag.String("man", "", "write the man pages into the folder `DIR`")

// TestMan writes the man pages. There is one for each command, and man formats it without a warning.
func TestMan(t *testing.T) {
	dir := *manDir
	if dir == "" {
		dir = t.TempDir()
	} else if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	root := newCLI(app.New(exercise.Catalog{}, sandbox.CheckLimits(), "checkalloc", nil, &out, &out)).root
	setLongHelp(root)
	root.DisableAutoGenTag = true // the header has the date
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "On the Stack", Manual: "checkalloc"},
		dir); err != nil {
		t.Fatal(err)
	}
	man, err := exec.LookPath("man")
	if err != nil {
		t.Log("NOT TESTED: man, which is not installed, formats no page")
	}
	for name, want := range map[string][]string{
		"checkalloc": {"checkalloc EXERCISE... | all: check one exercise", "--format", "1 not yet",
			"checkalloc-watch(1)"},
		"checkalloc-watch":     {"check an exercise, or the next one, on each save", "--dir"},
		"checkalloc-compare":   {"checkalloc compare --base REV [PKG]", "--markdown"},
		"checkalloc-dev-check": {"check that exercises work", "--brief"},
	} {
		page := filepath.Join(dir, name+".1")
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		// Without the marks of bold text and of dashes.
		plain := strings.NewReplacer(`\fB`, "", `\fP`, "", `\fR`, "", `\-`, "-").Replace(string(text))
		for _, w := range want {
			if !strings.Contains(plain, w) {
				t.Errorf("%s lacks %q:\n%s", name, w, plain)
			}
		}
		if man != "" {
			cmd := exec.Command(man, "--warnings", "-l", page)
			cmd.Env = append(os.Environ(), "MANPAGER=cat", "LC_ALL=C.UTF-8")
			var warnings bytes.Buffer
			cmd.Stderr = &warnings
			if out, err := cmd.Output(); err != nil || warnings.Len() > 0 || len(out) == 0 {
				t.Errorf("%s: %v, %d bytes: %s", name, err, len(out), &warnings)
			}
		}
	}
}

// setLongHelp sets the descriptions for the man pages of a command and of those below it.
func setLongHelp(cmd *cobra.Command) {
	paragraphs := []string{strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + "."}
	if cmd.Annotations[usageForms] != "" {
		for _, form := range forms(cmd) {
			paragraphs = append(paragraphs, strings.Replace(form, "\t", ": ", 1)+".")
		}
	}
	if codes := cmd.Annotations[exitCodes]; codes != "" {
		paragraphs = append(paragraphs, "Exit codes: "+codes+".")
	}
	cmd.Long = strings.Join(paragraphs, "\n\n")
	for _, sub := range cmd.Commands() {
		setLongHelp(sub)
	}
}
