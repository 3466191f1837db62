package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"onthestack/internal/build"
	"onthestack/internal/programs"
	"onthestack/runner/queue"
	"onthestack/runner/request"
)

func TestProgramsRefused(t *testing.T) {
	large, huge := strings.Repeat("x", maxProgram+1), strings.Repeat("x", maxBody)
	for _, c := range []struct {
		name, contentType, body string
		status                  int
		want                    string
	}{
		{"empty form", formType, "", 400, "the form has no program"},
		{"broken JSON", "application/json", `{"Body":`, 400, "is not the expected JSON"},
		{"two JSON values", "application/json", `{"Body":"x"}{}`, 400, "something after its JSON"},
		{"invalid UTF-8", "application/json", "{\"Body\":\"\xff\"}", 400, "not valid UTF-8"},
		{"lone high surrogate", "application/json", `{"Body":"x\ud83dy"}`, 400,
			`has \ud83d, an unpaired UTF-16 surrogate`},
		{"lone low surrogate", "application/json", `{"Body":"\uDE00"}`, 400,
			`has \uDE00, an unpaired UTF-16 surrogate`},
		{"surrogates the wrong way round", "application/json", `{"Body":"\ude00\ud83d"}`, 400,
			`has \ude00, an unpaired`},
		{"surrogate behind a pair", "application/json", `{"Body":"\ud83d\ude00\\\ude00"}`, 400,
			`has \ude00, an unpaired`},
		{"surrogate in a name", "application/json", `{"Bo\ud83ddy":"x"}`, 400, `has \ud83d, an unpaired`},
		{"surrogate at the end", "application/json", `{"Body":"\ud83d`, 400, `has \ud83d, an unpaired`},
		{"broken form", formType, "body=%zz", 400, "cannot be read"},
		{"broken multipart", "multipart/form-data", "--x\r\n", 400, "cannot be read"},
		{"large form", formType, "body=" + large, 413, "the program is larger than 64 KiB"},
		{"large JSON", "application/json", `{"Body":"` + large + `"}`, 413, "the program is larger than 64 KiB"},
		{"huge form", formType, "body=" + huge, 413, "the request is larger than 196 KiB"},
		{"huge JSON", "application/json", `{"Body":"` + huge + `"}`, 413, "the request is larger than 196 KiB"},
		{"huge multipart", "multipart/form-data; boundary=x",
			"--x\r\nContent-Disposition: form-data; name=\"body\"\r\n\r\n" +
				huge, 413, "the request is larger than 196 KiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantError(t, send(t, "POST", "/compile", c.contentType, c.body), c.status, c.want)
			wantError(t, send(t, "POST", "/escape", c.contentType, c.body), c.status, c.want)
		})
	}
	for _, path := range []string{"/compile", "/vet", "/fmt", "/escape", "/step", "/check"} {
		a := send(t, "GET", path+"?body=x", "", "")
		wantError(t, a, http.StatusMethodNotAllowed, "by POST")
		if allow := a.header.Get("Allow"); allow != "POST, OPTIONS" {
			t.Errorf("%s allows %q", path, allow)
		}
	}
}

func TestVersionAndHealth(t *testing.T) {
	goVersion, err := build.New(build.DefaultLimits()).Version()
	if err != nil {
		t.Fatal(err)
	}
	v := decode[goRelease](t, send(t, "GET", "/version", "", ""))
	if v.Version != goVersion || !strings.HasPrefix(goVersion, v.Release) ||
		v.Name != strings.Replace(v.Release, "go", "Go ", 1) || v.Engine != "wasm" || v.EngineReason != "" {
		t.Errorf("%+v for %s", v, goVersion)
	}
	if a := send(t, "GET", "/_ah/health", "", ""); a.status != http.StatusOK || a.body != "ok" {
		t.Errorf("health: status %d, %q", a.status, a.body)
	}
}

func TestRelease(t *testing.T) {
	for in, want := range map[string]goRelease{
		"go1.26.8":                {"go1.26.8", "go1.26", "Go 1.26", "", "", nil, "1.26"},
		"go1.27rc1":               {"go1.27rc1", "go1.27", "Go 1.27", "", "", nil, "1.27"},
		"go1.26.1 X:nogreenteagc": {"go1.26.1 X:nogreenteagc", "go1.26", "Go 1.26", "", "", nil, "1.26"},
		"devel go1.28-abcdef":     {"devel go1.28-abcdef", "go1.26", "Go 1.26", "", "", nil, "1.26"},
	} {
		if got, err := newGoRelease(in); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v", in, got, err)
		}
	}
	if _, err := newGoRelease(""); err == nil {
		t.Error("no error for a toolchain without a version")
	}
}

// TestSizes sends a program of the maximum size, which is answered, and larger ones, which are refused.
func TestSizes(t *testing.T) {
	t.Parallel()
	largest := hello + "//" + strings.Repeat("x", maxProgram-len(hello)-len("//\n")) + "\n"
	if len(largest) != maxProgram {
		t.Fatalf("it has %d bytes", len(largest))
	}
	asJSON := func(text string) string {
		body, err := json.Marshal(map[string]string{"body": text})
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	asForm := func(text string) string {
		return "--xx\r\nContent-Disposition: form-data; name=\"body\"\r\n\r\n" + text + "\r\n--xx--\r\n"
	}
	asSolution := func(text string) string { return `{"exercise":"exercise6","files":{"stream.go":"` + text + `"}}` }
	line := strings.Repeat("x", 3<<20)
	for _, path := range []string{"/compile", "/vet", "/escape", "/fmt"} {
		a := send(t, "POST", path, "multipart/form-data; boundary=xx", asForm(largest))
		if problem := path == "/compile" && !strings.Contains(a.body, `"hi\n"`) || path == "/fmt" &&
			len(decode[programs.Formatted](t, a).Body) < maxProgram; a.status != http.StatusOK || problem {
			t.Errorf("%s: status %d: %.300s", path, a.status, a.body)
		}
		wantError(t, send(t, "POST", path, "multipart/form-data; boundary=xx", asForm(largest+"x")),
			http.StatusRequestEntityTooLarge, "the program is larger than 64 KiB")
		wantError(t, send(t, "POST", path, "multipart/form-data; boundary=xx", asForm(line)),
			http.StatusRequestEntityTooLarge, "the request is larger than 196 KiB")
		if path == "/fmt" {
			continue // it takes no JSON
		}
		if a := send(t, "POST", path, "application/json", asJSON(largest)); a.status != http.StatusOK {
			t.Errorf("%s: status %d: %.300s", path, a.status, a.body)
		}
		wantError(t, send(t, "POST", path, "application/json", asJSON(largest+"x")), http.StatusRequestEntityTooLarge,
			"the program is larger than 64 KiB")
		wantError(t, send(t, "POST", path, "application/json", asJSON(line)), http.StatusRequestEntityTooLarge,
			"the request is larger than 196 KiB")
	}
	wantError(t, send(t, "POST", "/check", "application/json", asSolution(strings.Repeat("x", maxProgram+1))),
		http.StatusRequestEntityTooLarge, "the solution is larger than 64 KiB")
	wantError(t, send(t, "POST", "/check", "application/json", asSolution(line)), http.StatusRequestEntityTooLarge,
		"the request is larger than 196 KiB")
}

// FuzzReadRequest tests that any body becomes a job, or a refusal with a 4xx status.
func FuzzReadRequest(f *testing.F) {
	f.Add("application/json", `{"Body":"package main","WithVet":true}`)
	f.Add("application/json", `{"exercise":"exercise6","files":{"stream.go":"package stream"}}`)
	f.Add("application/json", `{"exercise":"exercise6","files":{"stream.go":"package \ud83d"}}`)
	f.Add(formType, url.Values{"body": {hello}, "withVet": {"true"}}.Encode())
	f.Add("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"body\"\r\n\r\nx\r\n"+
		"--x--\r\n")
	f.Add("text/plain; charset=\xff", "\xff\x00")
	s := &Server{catalog: sealedExercises(), tools: new(tools)}
	f.Fuzz(func(t *testing.T, contentType, text string) {
		request := func() *http.Request {
			r := httptest.NewRequest("POST", "/", strings.NewReader(text))
			r.Header.Set("Content-Type", contentType)
			r.Body = http.MaxBytesReader(httptest.NewRecorder(), r.Body, maxBody)
			return r
		}
		program, err := readProgramRequest(request())
		if err == nil && len(program.Body) > maxProgram {
			t.Errorf("a program of %d bytes was read from %d", len(program.Body), len(text))
		}
		wantRefusal(t, err)
		q, err := s.check(request())
		if (q.Work == nil) == (err == nil) {
			t.Errorf("/check has work %v with error %v", q.Work != nil, err)
		}
		wantRefusal(t, err)
	})
}

func wantRefusal(t *testing.T, err error) {
	var refused *request.Refusal
	switch {
	case err == nil:
	case !errors.As(err, &refused):
		t.Errorf("error %v would be reported as the server's fault", err)
	case refused.Status < 400 || refused.Status > 499 || refused.Message == "":
		t.Errorf("refused with %d %q", refused.Status, refused.Message)
	case !utf8.ValidString(refused.Message):
		t.Logf("the message %q is made valid when it is encoded", refused.Message)
	}
}

func TestRequestsAreLoggedWithoutCode(t *testing.T) {
	const secret = "notInAnyLog"
	send(t, "GET", "/compile?body="+secret, "", "")
	postForm(t, "/fmt", url.Values{"body": {"package " + secret}})
	log := logged.String()
	if !strings.Contains(log, "msg=request method=POST path=/fmt status=200") ||
		!strings.Contains(log, "method=GET path=/compile status=405") {
		t.Errorf("the log lacks requests:\n%s", log)
	}
	if strings.Contains(log, secret) {
		t.Errorf("the log holds source code:\n%s", log)
	}
}

// TestReadDeadlineEndsWithReading tests that the work may take longer than sending the request may.
func TestReadDeadlineEndsWithReading(t *testing.T) {
	s := idleServer(t, 1, 0)
	handler := s.endpoint(func(*http.Request) (queue.Request, error) { return queue.Request{Work: pause}, nil }, "")
	ts := httptest.NewUnstartedServer(handler)
	ts.Config.ReadTimeout = pauseTime / 4
	ts.Start()
	defer ts.Close()
	if a := send(t, "POST", ts.URL, "", "x"); a.status != http.StatusOK {
		t.Errorf("status %d: %s", a.status, a.body)
	}
}
