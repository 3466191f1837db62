package api

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"onthestack/internal/step"
)

// stepped sends a program to /step, which must answer 200.
func stepped(t *testing.T, program string) step.Document {
	t.Helper()
	a := postForm(t, "/step", url.Values{"body": {program}})
	if a.status != http.StatusOK {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	return decode[step.Document](t, a)
}

// TestStep steps through a program that moves a variable to the heap.
func TestStep(t *testing.T) {
	t.Parallel()
	const program = "package main\n\n//go:noinline\nfunc number() *int {\n\tn := 1000\n\treturn &n\n}\n\n" +
		"func main() {\n\tp := number()\n\tprintln(*p)\n}\n"
	d := stepped(t, program)
	if d.Errors != "" || d.End.Kind != step.EndReturned || d.Unmeasured != "" || len(d.Steps) == 0 {
		t.Fatalf("%+v", d)
	}
	last := d.Steps[len(d.Steps)-1]
	if last.Allocs != 1 || last.Bytes != 16 || len(last.Heap) != 1 ||
		last.Heap[0].Line != 5 || last.Heap[0].Name != "n" {
		t.Errorf("the last step is %+v", last)
	}
}

// TestStepCompressed asks for the steps as browsers do. They are many times smaller than their JSON.
func TestStepCompressed(t *testing.T) {
	t.Parallel()
	const program = "package main\n\nfunc main() {\n\tsum := 0\n\tfor i := range 50 {\n\t\tsum += i\n\t}\n}\n"
	form := url.Values{"body": {program}}.Encode()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/step", strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", formType)
	request.Header.Set("Accept-Encoding", "gzip, deflate, br")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	packed, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if coding := response.Header.Get("Content-Encoding"); coding != "gzip" {
		t.Fatalf("Content-Encoding %q", coding)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var d step.Document
	if err := json.Unmarshal(text, &d); err != nil || len(d.Steps) < 100 || len(packed)*5 > len(text) {
		t.Errorf("%v, %d steps, %d bytes of %d", err, len(d.Steps), len(packed), len(text))
	}
}

// TestStepStream follows the steps of a program: the picture comes first, and then the document that is answered to
// clients that do not ask for a stream. A cached answer needs no picture.
func TestStepStream(t *testing.T) {
	const program = "package main\n\nfunc main() {\n\ts := make([]int, 0, 1)\n\tfor i := range 5 {\n" +
		"\t\ts = append(s, i)\n\t}\n\tprintln(len(s))\n}\n"
	form := url.Values{"body": {program}}
	for _, want := range []string{"picture steps", "steps"} {
		events, reply := follow(t, base+"/step", form.Encode(), "Content-Type", formType)
		if got := names(events); reply.StatusCode != http.StatusOK || got != want {
			t.Fatalf("status %d, events %s; want %s", reply.StatusCode, got, want)
		}
		plain := postForm(t, "/step", form)
		if plain.body != events[len(events)-1].data+"\n" || plain.header.Get("X-Cache") != "hit" {
			t.Errorf("the stream ends with another document than the plain answer, %s", plain.header.Get("X-Cache"))
		}
		steps := decode[step.Document](t, plain)
		if steps.Pending || len(steps.Lines) == 0 {
			t.Errorf("pending %v, lines %v", steps.Pending, steps.Lines)
		}
		if want == "steps" {
			continue
		}
		picture := decode[step.Document](t, answer{body: events[0].data})
		if !picture.Pending || len(picture.Lines) > 0 || len(picture.Steps) != len(steps.Steps) {
			t.Errorf("the picture: pending %v, lines %v, %d steps of %d", picture.Pending, picture.Lines,
				len(picture.Steps), len(steps.Steps))
		}
	}
}

// TestStepMistakes sends programs that cannot be stepped through to their end. None is an error of the server.
func TestStepMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, program, errors, end string }{
		{"does not compile", "package main\n\nfunc main() { x() }\n", "./prog.go:3:15: undefined: x", ""},
		{"a test", "package main\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n",
			"there is no main function", ""},
		{"never ends", "package main\n\nfunc main() { main() }\n", "", step.EndSteps},
		{"panics", "package main\n\nfunc main() { panic(1) }\n", "", step.EndPanicked},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := stepped(t, c.program)
			if c.errors == "" && d.Errors != "" || !strings.Contains(d.Errors, c.errors) || d.End.Kind != c.end {
				t.Errorf("errors %q, end %+v", d.Errors, d.End)
			}
		})
	}
}
