package step_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"onthestack/internal/step"
)

var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	text, err := os.ReadFile("schema.json")
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
})

// maxValidated is the number of steps that are held to the schema, the first and the last, because validating
// thousands of objects takes long.
const maxValidated = 40

// valid checks a document against its schema, and checks sums and indices, which a schema cannot express.
func valid(t testing.TB, d *step.Document) {
	t.Helper()
	s, err := schema()
	if err != nil {
		t.Fatal(err)
	}
	some := *d
	if n := len(d.Steps); n > maxValidated {
		some.Steps = slices.Concat(d.Steps[:maxValidated/2], d.Steps[n-maxValidated/2:])
	}
	text, err := json.Marshal(some)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(value); err != nil {
		t.Errorf("the document does not fit its schema: %v", err)
	}
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
