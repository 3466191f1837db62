package request

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// An Access says which token a request needs.
type Access string

// The kinds of access.
const (
	Anybody     Access = "anybody"
	Member      Access = "a participant of the room, the instructor or a helper"
	Participant Access = "a participant of the room"
	Helper      Access = "the instructor, or a helper of theirs"
	Instructor  Access = "the instructor"
)

// An Operation is a method of a path.
type Operation struct {
	Method, Path string // a pattern of http.ServeMux: "GET", "/api/rooms/{room}"
	Summary      string
	Access       Access
	Key          bool // whether the header Idempotency-Key is needed
	IfMatch      bool // whether the header If-Match is needed
	Body         any  // a value of the type of the request's body in JSON; nil for none
	Form         bool // whether the body is a program, alone or in a form, rather than JSON
	// Values are the optional values of the form besides the program: what each is, by its name.
	Values map[string]string
	// Answer is a value of the type of the answer's JSON, a Media, or nil for an empty body. It has this status; every
	// other answer is an Error.
	Answer any
	Status int
}

// A Media is an answer that is not JSON.
type Media string

var parameter = regexp.MustCompile(`\{(\w+)\}`)

// OpenAPI returns the description of the operations as an OpenAPI 3.1 document, in indented JSON. The schemas come from
// the Go types that the handlers read and write.
func OpenAPI(title, description string, operations []Operation) ([]byte, error) {
	paths := map[string]map[string]any{}
	for _, o := range operations {
		described, err := o.document()
		if err != nil {
			return nil, fmt.Errorf("describe %s %s: %w", o.Method, o.Path, err)
		}
		if paths[o.Path] == nil {
			paths[o.Path] = map[string]any{}
		}
		paths[o.Path][strings.ToLower(o.Method)] = described
	}
	refused, err := Schema(Error{})
	if err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]string{"title": title, "description": description, "version": "1"},
		"paths":   paths,
		"components": map[string]any{
			"schemas": map[string]any{"Error": refused},
			"securitySchemes": map[string]any{"token": map[string]string{"type": "http", "scheme": "bearer",
				"description": "a participant's token, which joining a room gives, or the instructor's"}},
		},
	}, "", "  ")
	return append(text, '\n'), err
}

func (o Operation) document() (map[string]any, error) {
	d := map[string]any{"summary": o.Summary, "operationId": o.id()}
	parameters := []any{}
	for _, m := range parameter.FindAllStringSubmatch(o.Path, -1) {
		parameters = append(parameters, parameterOf(m[1], "path"))
	}
	if o.Key {
		parameters = append(parameters, parameterOf("Idempotency-Key", "header"))
	}
	if o.IfMatch {
		parameters = append(parameters, parameterOf("If-Match", "header"))
	}
	if len(parameters) > 0 {
		d["parameters"] = parameters
	}
	if o.Access != Anybody {
		d["security"] = []any{map[string][]string{"token": {}}}
		d["description"] = "For " + string(o.Access) + "."
	}
	if o.Form {
		properties := map[string]any{"body": map[string]string{"type": "string"}}
		for name, description := range o.Values {
			properties[name] = map[string]string{"type": "string", "description": description}
		}
		d["requestBody"] = map[string]any{"required": true, "content": map[string]any{
			"application/x-www-form-urlencoded": map[string]any{"schema": map[string]any{"type": "object",
				"properties": properties}},
		}}
	}
	if o.Body != nil {
		content, err := contentOf(o.Body)
		if err != nil {
			return nil, err
		}
		d["requestBody"] = map[string]any{"required": true, "content": content}
	}
	refused := map[string]any{"schema": map[string]string{"$ref": "#/components/schemas/Error"}}
	answer := map[string]any{"description": http.StatusText(o.Status)}
	if o.Answer != nil {
		content, err := contentOf(o.Answer)
		if err != nil {
			return nil, err
		}
		answer["content"] = content
	}
	d["responses"] = map[string]any{strconv.Itoa(o.Status): answer, "default": map[string]any{
		"description": "the request is refused, for the reason in error",
		"content":     map[string]any{"application/json": refused},
	}}
	return d, nil
}

// id returns a name for the operation: "postApiRoomsRoomJoin".
func (o Operation) id() string {
	var b strings.Builder
	b.WriteString(strings.ToLower(o.Method))
	for _, word := range strings.FieldsFunc(o.Path, func(r rune) bool { return strings.ContainsRune("/{}._", r) }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func parameterOf(name, in string) map[string]any {
	return map[string]any{"name": name, "in": in, "required": true, "schema": map[string]string{"type": "string"}}
}

func contentOf(body any) (map[string]any, error) {
	if media, ok := body.(Media); ok {
		return map[string]any{string(media): map[string]any{}}, nil
	}
	schema, err := Schema(body)
	return map[string]any{"application/json": map[string]any{"schema": schema}}, err
}

// A SchemaText is a JSON Schema in JSON. It describes a body whose Go type contains itself.
type SchemaText []byte

// Schema returns the JSON Schema of the type of a value, or the one that the value is.
func Schema(v any) (*jsonschema.Schema, error) {
	if text, ok := v.(SchemaText); ok {
		s := new(jsonschema.Schema)
		return s, json.Unmarshal(text, s)
	}
	return jsonschema.ForType(reflect.TypeOf(v), &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
			reflect.TypeFor[json.RawMessage](): {},
			reflect.TypeFor[json.Number]():     {Type: "number"},
		},
	})
}
