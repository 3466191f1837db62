package api

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"onthestack/runner/request"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestOpenAPI compares the description with testdata/openapi.json, where an object that fits on a line stands on one;
// -update rewrites it.
func TestOpenAPI(t *testing.T) {
	whole, err := OpenAPI()
	if err != nil {
		t.Fatal(err)
	}
	var description any
	if err := json.Unmarshal(whole, &description); err != nil {
		t.Fatal(err)
	}
	text := append(inLines(t, nil, description, ""), '\n')
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(golden, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(text) != string(want) {
		t.Error("testdata/openapi.json is not the description: " +
			"go test ./runner/api -run TestOpenAPI -update rewrites it")
	}
}

// inLines appends v as JSON to text. An object or array that is longer than a line has a line for each element, which
// begins with indent and a tab.
func inLines(t *testing.T, text []byte, v any, indent string) []byte {
	t.Helper()
	short, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	object, isObject := v.(map[string]any)
	array, isArray := v.([]any)
	if len(short) <= 100 || !isObject && !isArray {
		return append(text, short...)
	}
	inner, separator := "\n"+indent+"\t", ""
	if isArray {
		text = append(text, '[')
		for _, element := range array {
			text = inLines(t, append(text, separator+inner...), element, indent+"\t")
			separator = ","
		}
		return append(text, "\n"+indent+"]"...)
	}
	text = append(text, '{')
	for _, key := range slices.Sorted(maps.Keys(object)) {
		text = inLines(t, fmt.Appendf(text, "%s%s%q: ", separator, inner, key), object[key], indent+"\t")
		separator = ","
	}
	return append(text, "\n"+indent+"}"...)
}

// TestDescribed holds the description to the handlers: each path of the protocol is described, each described path has
// a handler, and an answer fits its schema. The handlers of rooms are made from their descriptions; package roomhttp
// tests their answers.
func TestDescribed(t *testing.T) {
	t.Parallel()
	described := map[string]request.Operation{}
	for _, o := range operations() {
		described[o.Path] = o
	}
	for path := range workPaths {
		if _, ok := described[path]; !ok {
			t.Errorf("%s is not described", path)
		}
	}
	const program = "package main\n\nfunc main() { println(\"hello\") }\n"
	form := url.Values{"body": {program}}.Encode()
	check, err := json.Marshal(checkRequest{"exercise6", map[string]string{"stream.go": "package stream"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range operations() {
		if isRoom(o.Path) {
			continue
		}
		path, contentType, body := strings.Replace(o.Path, "{program}", "none.go", 1), "", ""
		switch {
		case o.Body != nil:
			contentType, body = "application/json", string(check)
		case o.Form:
			contentType, body = formType, form
		}
		a := send(t, o.Method, path, contentType, body)
		switch {
		case strings.Contains(a.body, "there is nothing at"), a.status == http.StatusMethodNotAllowed:
			t.Errorf("%s %s: no handler: status %d: %s", o.Method, o.Path, a.status, a.body)
		case a.status != http.StatusOK:
			// The tests' server shares no programs and no workspace.
			if o.Path != "/share" && o.Path != "/p/{program}" && !isWorkspace(o.Path) {
				t.Errorf("%s %s: status %d: %s", o.Method, o.Path, a.status, a.body)
			}
		case a.status != o.Status:
			t.Errorf("%s %s: status %d is described, not %d", o.Method, o.Path, o.Status, a.status)
		default:
			if _, media := o.Answer.(request.Media); o.Answer != nil && !media {
				validate(t, o.Path, o.Answer, a.body)
			}
		}
	}
	// A refusal, which every operation may answer.
	refused := send(t, "POST", "/check", "application/json", "{}")
	if refused.status == http.StatusOK {
		t.Errorf("status %d for a check of nothing", refused.status)
	}
	validate(t, "/check", request.Error{}, refused.body)
}

// validate holds an answer to the schema of the type of a value.
func validate(t *testing.T, path string, described any, answer string) {
	t.Helper()
	schema, err := request.Schema(described)
	if err != nil {
		t.Fatal(err)
	}
	// A schema may name itself by a relative URI.
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{BaseURI: "file:///"})
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err = json.Unmarshal([]byte(answer), &value); err == nil {
		err = resolved.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", path, err, answer)
	}
}
