package step_test

import (
	"slices"
	"testing"

	"onthestack/internal/schematest"
	"onthestack/internal/step"
)

// maxValidated is the number of steps that are held to the schema, the first and the last, because validating
// thousands of objects takes long.
const maxValidated = 40

// valid checks a document against its schema, and checks sums and indices, which a schema cannot express.
func valid(t testing.TB, d *step.Document) {
	t.Helper()
	some := *d
	if n := len(d.Steps); n > maxValidated {
		some.Steps = slices.Concat(d.Steps[:maxValidated/2], d.Steps[n-maxValidated/2:])
	}
	schematest.Check(t, "schema.json", some)
	for i, s := range d.Steps {
		for _, f := range s.Stack {
			if f.Function >= len(d.Functions) {
				t.Errorf("step %d: a frame of function %d", i, f.Function)
			}
		}
		allocs, size := 0, 0
		for _, o := range s.Heap {
			allocs, size = allocs+o.Count, size+o.Bytes
		}
		if allocs != s.Allocs || size != s.Bytes {
			t.Errorf("step %d: %d allocs of %d B, the heap has %d of %d", i, s.Allocs, s.Bytes, allocs, size)
		}
	}
}

func TestSchema(t *testing.T) {
	d, err := stepper(t, 0).Steps(t.Context(), "package main\n\nfunc main() { x }\n")
	if err != nil || d.Errors == "" {
		t.Fatal(d, err)
	}
	valid(t, d)
	valid(t, steps(t, "package main\n\nvar g = map[string][]any{\"a\": {1, nil, true}}\n\nfunc main() {\n"+
		"\tg[\"b\"] = nil\n\tf := func() int { return len(g) }\n\tprintln(f())\n}\n"))
}
