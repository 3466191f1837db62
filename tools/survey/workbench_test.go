package survey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/owncode/revision"
)

// A subject is a package of a module.
type subject struct {
	module, version string
	folder          string // below the module's root, "" for the root
}

// parseSubject reads MODULE@VERSION[/FOLDER].
func parseSubject(name string) (subject, error) {
	module, rest, ok := strings.Cut(name, "@")
	version, folder, _ := strings.Cut(rest, "/")
	if !ok || module == "" || version == "" {
		return subject{}, fmt.Errorf("%q is not MODULE@VERSION[/FOLDER]", name)
	}
	return subject{module, version, folder}, nil
}

// String returns the import path and the version.
func (s subject) String() string {
	path := s.module
	if s.folder != "" {
		path += "/" + s.folder
	}
	return path + " " + s.version
}

// A workbench runs programs on copies of modules.
type workbench struct {
	dir        string // temporary
	checkalloc string // the program
}

// newWorkbench returns a workbench with the checkalloc of this clone.
func newWorkbench(t *testing.T) *workbench {
	dir := t.TempDir()
	w := &workbench{dir, filepath.Join(dir, "checkalloc")}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", w.checkalloc, "onthestack/tools/checkalloc")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build checkalloc: %v\n%s", err, out)
	}
	return w
}

// ownModule is this project, whose versions are commits.
const ownModule = "onthestack"

// checkout copies the module of a subject, so that the go command can complete its go.mod, and returns the folder of
// its package. The caller removes the copy.
func (w *workbench) checkout(ctx context.Context, s subject) (dir string, remove func() error, err error) {
	if s.module == ownModule {
		found, err := revision.Find(ctx, ".", s.version)
		if err != nil {
			return "", nil, err
		}
		copied, err := found.Checkout(ctx)
		if err != nil {
			return "", nil, err
		}
		return filepath.Join(copied.Tree, filepath.FromSlash(s.folder)), copied.Remove, nil
	}
	out, err := w.output(ctx, w.dir, "go", "mod", "download", "-json", s.module+"@"+s.version)
	if err != nil {
		return "", nil, err
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(out, &downloaded); err != nil {
		return "", nil, fmt.Errorf("read what go mod download says of %s: %w", s, err)
	}
	root := filepath.Join(w.dir, "module")
	if err := os.CopyFS(root, os.DirFS(downloaded.Dir)); err != nil {
		return "", nil, err
	}
	// For a module without a go.mod, the go command assumes this one.
	mod := filepath.Join(root, "go.mod")
	if _, err := os.Stat(mod); errors.Is(err, fs.ErrNotExist) {
		if err := os.WriteFile(mod, []byte("module "+s.module+"\n"), 0o666); err != nil {
			return "", nil, err
		}
	}
	dir = filepath.Join(root, filepath.FromSlash(s.folder))
	if _, err := os.Stat(dir); err != nil {
		return "", nil, errors.Join(fmt.Errorf("the module has no folder %s", s.folder), os.RemoveAll(root))
	}
	return dir, func() error { return os.RemoveAll(root) }, nil
}

// output runs a program in a folder and returns what it prints. The error has what it prints to standard error.
func (w *workbench) output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=mod", "PWD="+dir)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, exit.Stderr)
	}
	return out, err
}

// A survey is a table with a row for each package.
type survey struct {
	title   string
	columns []string
	// count returns the counts of a row, and details of them, for the package in a folder.
	count func(w *workbench, ctx context.Context, dir string) (counts []int, details []string, err error)
}

// surveys are the surveys by the subcommand of checkalloc that they are about.
var surveys = map[string]survey{
	"explain": {explainTitle, explainColumns, (*workbench).explain},
	"suggest": {suggestTitle, suggestColumns, (*workbench).suggest},
}

// table returns a survey of packages in Markdown, and below it a list of the details. A failure becomes a note in the
// list, so that one module does not end the survey.
func (w *workbench) table(t *testing.T, survey survey, names []string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n| package | %s |\n|---%s|\n", survey.title, strings.Join(survey.columns, " | "),
		strings.Repeat("|---:", len(survey.columns)))
	total := make([]int, len(survey.columns))
	var below, notes []string
	for i, name := range names {
		s, err := parseSubject(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%d of %d: %s", i+1, len(names), s)
		var counts []int
		var details []string
		dir, remove, err := w.checkout(t.Context(), s)
		if err == nil {
			counts, details, err = survey.count(w, t.Context(), dir)
			err = errors.Join(err, remove())
		}
		if t.Context().Err() != nil {
			t.Fatal(t.Context().Err())
		}
		if err != nil {
			t.Log(err)
			notes = append(notes, fmt.Sprintf("%s was not measured: %s", s, summary(err)))
			continue
		}
		for i, n := range counts {
			total[i] += n
		}
		for _, d := range details {
			below = append(below, s.String()+": "+d)
		}
		printRow(&out, s.String(), counts)
	}
	printRow(&out, "total", total)
	fmt.Fprintln(&out)
	for _, line := range append(below, notes...) {
		fmt.Fprintln(&out, "- "+line)
	}
	return out.String()
}

func printRow(out *strings.Builder, name string, counts []int) {
	cells := strings.Trim(strings.ReplaceAll(fmt.Sprint(counts), " ", " | "), "[]")
	fmt.Fprintf(out, "| %s | %s |\n", name, cells)
}

// summary returns the line of a message that says most: what checkalloc says, or else the first.
func summary(err error) string {
	text := strings.TrimSpace(err.Error())
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "checkalloc: ") {
			return strings.TrimSpace(line)
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	return first
}
