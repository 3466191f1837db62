// Package schematest tests that what is written as JSON is what a schema says.
package schematest

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Check fails the test if the JSON of a value does not fit the schema in a file.
func Check(t testing.TB, file string, value any) {
	t.Helper()
	schema, err := compile(file)
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(written))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("%v\n%s", err, written)
	}
}

func compile(file string) (*jsonschema.Schema, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(file, document); err != nil {
		return nil, err
	}
	return c.Compile(file)
}
