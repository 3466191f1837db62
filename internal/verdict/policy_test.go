package verdict_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"onthestack/internal/bookdata"
	"onthestack/internal/verdict"
)

// TestPolicyAccepts checks that the policy accepts the starter and the solution of every exercise, and every likely
// mistake that fails at a later stage, and that it parses all of them.
func TestPolicyAccepts(t *testing.T) {
	measured, err := bookdata.ReadMeasuredMisconceptions(os.DirFS("../../book"))
	if err != nil {
		t.Fatal(err)
	}
	accepted := 0
	for _, e := range sealed(t) {
		starter := map[string][]byte{}
		for _, name := range e.Edit {
			starter[name] = e.Files[name]
		}
		subjects := map[string]map[string][]byte{"starter": starter, "solution": e.Solution}
		for _, mistake := range measured.Exercises[e.ID] {
			if mistake.Result.Stage == verdict.StagePolicy || mistake.Result.Stage == verdict.StageBuild {
				continue // the policy or the compiler has to refuse it
			}
			if subjects[mistake.Name], err = mistake.Apply(starter); err != nil {
				t.Fatal(err)
			}
		}
		for name, files := range subjects {
			problems, unparsed := verdict.Policy(e, files)
			if len(files) == 0 || len(problems) > 0 || len(unparsed) > 0 {
				t.Errorf("%s of %s, %v: %v %v", name, e.ID, slices.Sorted(maps.Keys(files)), problems, unparsed)
			}
			accepted++
		}
	}
	if accepted < 80 {
		t.Errorf("only %d subjects", accepted)
	}
	t.Logf("%d accepted", accepted)
}

// TestPolicyOfAdditions adds declarations and imports to our solutions: some keep nothing and run nothing before the
// tests, and are accepted in every exercise. Others could, and are refused.
func TestPolicyOfAdditions(t *testing.T) {
	const sentinel = "\"errors\"\n\nvar errLate = errors.New(\"late\")\n\nfunc late() error { return errLate }\n"
	for _, c := range []struct {
		added string // behind the package clause and "import "
		says  string // a part of what the policy says, "" if it accepts
	}{
		{"\"errors\"\n\ntype zz struct{}\n\nfunc (zz) Error() string { return \"\" }\n\nvar _ error = zz{}\n\n" +
			"var _ error = (*zz)(nil)\n\nvar (\n\t_ error = &zz{}\n\t_       = errors.New\n)\n",
			"package-level variables"},
		{"\"errors\"\n\ntype zz struct{}\n\nfunc (zz) Error() string { return \"\" }\n\nvar _ error = zz{}\n\n" +
			"var _ error = (*zz)(nil)\n\nvar _ = (*zz)(nil)\n\nvar e1, e2 = errors.New(\"1\"), errors.New(`2`)\n", ""},
		{sentinel, ""},
		{sentinel + "\nfunc f(err error) { errLate = err }\n", "errLate is an error of the package"},
		{sentinel + "\nfunc f(err error) { (errLate) = err }\n", "errLate is an error of the package"},
		{sentinel + "\nfunc f(err error) { _, errLate = 1, err }\n", "errLate is an error of the package"},
		{sentinel + "\nfunc f(list []error) { for _, errLate = range list { } }\n",
			"errLate is an error of the package"},
		{sentinel + "\nfunc f() *error { return &errLate }\n", "errLate is an error of the package"},
		{sentinel + "\nfunc f(c chan error) { select { case errLate = <-c: } }\n",
			"errLate is an error of the package"},
		{"\"errors\"\n\nvar e error = errors.New(\"e\")\n", "package-level variables"},
		{"\"errors\"\n\nvar e = errors.Join(nil)\n", "package-level variables"},
		{"\"errors\"\n\nvar e = errors.New(text())\n\nfunc text() string { return \"\" }\n", "package-level variables"},
		{"errors \"strings\"\n\nvar e = errors.NewReader(\"e\")\n", "package-level variables"},
		{"\"math\"\n\nvar n = new(int)\n\nconst pi = math.Pi\n", "package-level variables"},
		{"\"math\"\n\nvar _ = []int{f()}\n\nfunc f() int { return int(math.Pi) }\n", "package-level variables"},
		{"\"math\"\n\nconst pi = math.Pi\n", ""},
		{"\"strconv\"\n\nfunc f(n int) string { return strconv.Itoa(n) }\n", ""},
		{"(\n\t\"bytes\"\n\t\"strings\"\n)\n\n" +
			"func f(b []byte) int { return strings.Count(\"\", \"\") + bytes.Count(b, b) }\n", ""},
		{"\"runtime\"\n\nfunc f() { runtime.GC() }\n", "import \"runtime\" is not allowed"},
		{"\"math/rand/v2\"\n\nfunc f() int { return rand.Int() }\n", "import \"math/rand/v2\" is not allowed"},
	} {
		for i, e := range sealed(t) {
			if i > 0 && c.says != "" {
				break // one exercise tells
			}
			files := maps.Clone(e.Solution)
			files["zz_added.go"] = []byte("package " + e.Package + "\n\nimport " + c.added)
			problems, unparsed := verdict.Policy(e, files)
			said := slices.ContainsFunc(problems, func(p verdict.Problem) bool {
				return c.says != "" && strings.Contains(p.Message, c.says)
			})
			if said != (c.says != "") || c.says == "" && len(problems)+len(unparsed) > 0 {
				t.Errorf("%s: %s\n%v %v, want %q", e.ID, c.added, problems, unparsed, c.says)
			}
		}
	}
}
