package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
	"onthestack/runner/metrics"
	"onthestack/runner/settings"
)

// A folderServer is a server that shares a new workspace, and does nothing else.
type folderServer struct {
	*Server
	exercise *exercise.Exercise
	file     string // the name of its only file to edit
	path     string // of that file on the disk
	logged   *syncBuffer
}

func newFolderServer(t *testing.T) *folderServer {
	t.Helper()
	catalog := sealedExercises()
	w, err := workspace.Init(t.TempDir(), catalog)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := openFolder(filepath.Join(w.Root, "exercises"), catalog)
	if err != nil {
		t.Fatal(err)
	}
	e := catalog.Lookup("exercise6")
	log := new(syncBuffer)
	s := &Server{log: slog.New(slog.NewTextHandler(log, nil)), metrics: metrics.New("", nil), catalog: catalog,
		workspace: folder}
	s.settings.Addr, s.settings.Site = "127.0.0.1:8080", filepath.Join("testdata", "site")
	return &folderServer{s, e, e.Edit[0], filepath.Join(w.Dir(e), e.Edit[0]), log}
}

// send sends a request as a page of the server does. The headers are given as "Name: value".
func (s *folderServer) send(t *testing.T, method, path, body string, headers ...string) answer {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:1234"
	for _, line := range headers {
		switch name, value, _ := strings.Cut(line, ": "); name {
		case "Host":
			r.Host = value
		case "Remote":
			r.RemoteAddr = value
		default:
			r.Header.Set(name, value)
		}
	}
	w := httptest.NewRecorder()
	s.handler().ServeHTTP(w, r)
	return answer{w.Code, w.Header(), w.Body.String()}
}

const copyPath = workspacePath + "/exercise6"

// change returns the body of a request that replaces the code.
func (s *folderServer) change(t *testing.T, text string, more workspaceChange) string {
	t.Helper()
	more.Files = map[string]string{s.file: text}
	body, err := json.Marshal(more)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func (s *folderServer) onDisk(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWorkspaceAccess sends requests that only the server's own pages on this machine may send.
func TestWorkspaceAccess(t *testing.T) {
	s := newFolderServer(t)
	allowOrigin(t, s.Server, "https://class.example.org")
	tag := s.send(t, "GET", copyPath, "").header.Get("ETag")
	for _, c := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"a page", []string{"Sec-Fetch-Site: same-origin", "Origin: http://127.0.0.1:8080"}, 200},
		{"no browser", nil, 200},
		{"localhost", []string{"Host: localhost:8080", "Origin: http://localhost:8080"}, 200},
		{"IPv6", []string{"Host: [::1]:8080", "Remote: [::1]:1234"}, 200},
		{"another site", []string{"Sec-Fetch-Site: cross-site", "Origin: https://evil.example"}, 403},
		{"another site over plain http", []string{"Origin: http://evil.example"}, 403},
		{"an image", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"a page in a file", []string{"Origin: null"}, 403},
		{"another port", []string{"Sec-Fetch-Site: same-site", "Origin: http://127.0.0.1:3000"}, 403},
		{"an allowed origin", []string{"Sec-Fetch-Site: cross-site", "Origin: https://class.example.org"}, 403},
		{"a name that leads here", []string{"Host: evil.example", "Origin: http://evil.example"}, 403},
		{"a name below localhost", []string{"Host: evil.localhost"}, 403},
		{"another machine", []string{"Remote: 192.0.2.7:1234"}, 403},
		{"a proxy", []string{"X-Forwarded-For: 192.0.2.7"}, 403},
		{"a proxy of this machine", []string{"Via: 1.1 proxy"}, 403},
	} {
		for _, a := range []struct{ method, path, body string }{
			{"GET", workspacePath, ""},
			{"GET", copyPath, ""},
			{"PUT", copyPath, s.change(t, string(s.exercise.Files[s.file]), workspaceChange{})},
		} {
			got := s.send(t, a.method, a.path, a.body, append(c.headers, "If-Match: "+tag)...)
			if got.status != c.want || got.header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s: %s %s: status %d, want %d: %s", c.name, a.method, a.path, got.status, c.want, got.body)
			}
		}
		// A page learns of the workspace under the same conditions, except for its origin, which it does not have yet.
		page := s.send(t, "GET", "/", "", c.headers...)
		if told := page.header.Get("Server-Timing") == "workspace"; c.want == 200 && !told {
			t.Errorf("%s: the page does not learn of the workspace", c.name)
		} else if told && (strings.Contains(c.name, "machine") || strings.Contains(c.name, "proxy")) {
			t.Errorf("%s: the page learns of the workspace", c.name)
		}
		preflight := s.send(t, "OPTIONS", copyPath, "", append(c.headers, "Access-Control-Request-Method: PUT")...)
		if preflight.status == 200 || preflight.header.Get("Access-Control-Allow-Methods") != "" {
			t.Errorf("%s: preflight: status %d, %v", c.name, preflight.status, preflight.header)
		}
	}
}

// TestWorkspaceCopy reads and replaces the code of an exercise.
func TestWorkspaceCopy(t *testing.T) {
	s := newFolderServer(t)
	first := s.send(t, "GET", copyPath, "")
	validate(t, copyPath, workspaceCopy{}, first.body)
	c := decode[workspaceCopy](t, first)
	if first.status != 200 || c.Folder != "exercises/exercise6" || c.Files[s.file] != s.onDisk(t) || len(c.Missing) > 0 {
		t.Errorf("status %d: %+v", first.status, c)
	}
	tag := first.header.Get("ETag")
	if a := s.send(t, "GET", copyPath, "", "If-None-Match: "+tag); a.status != 304 || a.body != "" {
		t.Errorf("with its tag: status %d: %s", a.status, a.body)
	}
	if strings.Contains(s.logged.String(), "status=304") {
		t.Error("each poll is logged")
	}
	saved := s.send(t, "PUT", copyPath, s.change(t, "package mine\n", workspaceChange{}), "If-Match: "+tag)
	if saved.status != 200 || s.onDisk(t) != "package mine\n" || saved.header.Get("ETag") == tag {
		t.Errorf("status %d: %s; the file has %q", saved.status, saved.body, s.onDisk(t))
	}
	// The page that has not seen this gets it, and changes nothing.
	late := s.send(t, "PUT", copyPath, s.change(t, "package late\n", workspaceChange{}), "If-Match: "+tag)
	if late.status != 412 || decode[workspaceCopy](t, late).Files[s.file] != "package mine\n" ||
		late.header.Get("ETag") != saved.header.Get("ETag") || s.onDisk(t) != "package mine\n" {
		t.Errorf("status %d: %s; the file has %q", late.status, late.body, s.onDisk(t))
	}
	if err := os.Remove(s.path); err != nil {
		t.Fatal(err)
	}
	gone := s.send(t, "GET", copyPath, "")
	if c := decode[workspaceCopy](t, gone); len(c.Files) > 0 || len(c.Missing) != 1 || c.Missing[0] != s.file {
		t.Errorf("without the file: %+v", c)
	}
	again := s.send(t, "PUT", copyPath, s.change(t, "package again\n", workspaceChange{}),
		"If-Match: "+gone.header.Get("ETag"))
	if again.status != 200 || s.onDisk(t) != "package again\n" {
		t.Errorf("status %d: %s", again.status, again.body)
	}
}

// TestWorkspaceRefuses sends requests that are at fault, and requests for a workspace that is.
func TestWorkspaceRefuses(t *testing.T) {
	for _, c := range []struct {
		name               string
		method, path, body string // the text of the file if path is copyPath
		change             func(s *folderServer) error
		status             int
		want               string
	}{
		{name: "an unknown exercise", method: "GET", path: workspacePath + "/exercise9999", status: 404,
			want: "no such exercise"},
		{name: "a path", method: "GET", path: workspacePath + "/..%2Fexercise6", status: 404, want: "no such exercise"},
		{name: "another file", method: "PUT", path: copyPath, status: 400, want: "send the files that are to be edited",
			body: `{"files":{"stream_test.go":"x"}}`},
		{name: "a file elsewhere", method: "PUT", path: copyPath, status: 400, want: "send the files that are to be edited",
			body: `{"files":{"stream.go":"x","../exercise7/sum.go":"x"}}`},
		{name: "no file", method: "PUT", path: copyPath, status: 400, want: "send the files", body: `{"files":{}}`},
		{name: "a pass", method: "PUT", path: copyPath, status: 400, want: "not the expected JSON",
			body: `{"files":{"stream.go":"x"},"passed":true}`},
		{name: "a large file", method: "PUT", path: copyPath, status: 413, want: "the solution is larger than",
			body: `{"files":{"stream.go":"` + strings.Repeat("x", maxProgram+1) + `"}}`},
		{name: "a large request", method: "PUT", path: copyPath, status: 413, want: "the request is larger than",
			body: `{"files":{"stream.go":"` + strings.Repeat("x", maxBody) + `"}}`},
		{name: "a link", method: "GET", path: copyPath, status: 409, want: "stream.go is a symbolic link",
			change: func(s *folderServer) error {
				if err := os.Remove(s.path); err != nil {
					return err
				}
				return os.Symlink(filepath.Join(s.workspace.Root, "go.mod"), s.path)
			}},
		{name: "no folder", method: "GET", path: copyPath, status: 409,
			want:   `exercises/exercise6 is missing in the workspace: "checkalloc reset exercise6" brings it back`,
			change: func(s *folderServer) error { return os.RemoveAll(filepath.Dir(s.path)) }},
		{name: "old numbers", method: "GET", path: workspacePath, status: 409, want: "the exercises have new numbers",
			change: func(s *folderServer) error {
				return os.Rename(filepath.Dir(s.path), filepath.Join(s.workspace.Root, "exercises", "renumbered-exercise6"))
			}},
		{name: "broken progress", method: "GET", path: workspacePath, status: 500, want: "its log says why",
			change: func(s *folderServer) error {
				dir := filepath.Join(s.workspace.Root, ".checkalloc")
				if err := os.MkdirAll(dir, 0o777); err != nil {
					return err
				}
				return os.WriteFile(filepath.Join(dir, "progress.json"), []byte("{"), 0o666)
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newFolderServer(t)
			tag := s.send(t, "GET", copyPath, "").header.Get("ETag")
			if c.change != nil {
				if err := c.change(s); err != nil {
					t.Fatal(err)
				}
			}
			wantError(t, s.send(t, c.method, c.path, c.body, "If-Match: "+tag), c.status, c.want)
			if c.change == nil && s.onDisk(t) != string(s.exercise.Files[s.file]) {
				t.Errorf("the file has %q", s.onDisk(t))
			}
		})
	}
	s := newFolderServer(t)
	a := s.send(t, "PUT", copyPath, s.change(t, "package mine\n", workspaceChange{}))
	wantError(t, a, http.StatusPreconditionRequired, "If-Match")
}

// TestWithoutWorkspace tests that a server without --workspace, and one that other machines reach, have none.
func TestWithoutWorkspace(t *testing.T) {
	for _, c := range []struct {
		workspace, addr string
		shares          bool
	}{{"", "127.0.0.1:0", false}, {"..", "0.0.0.0:0", false}, {"..", "127.0.0.1:0", true}} {
		set := settings.Settings{Workspace: c.workspace, Addr: c.addr}
		if set.SharesWorkspace() != c.shares {
			t.Errorf("%+v: shares is %v", c, !c.shares)
		}
	}
	s := newFolderServer(t)
	s.workspace = nil
	wantError(t, s.send(t, "GET", workspacePath, ""), 404, "this server shares no workspace")
	wantError(t, s.send(t, "PUT", copyPath, "{}"), 404, "this server shares no workspace")
	if told := s.send(t, "GET", "/", "").header.Values("Server-Timing"); len(told) > 0 {
		t.Errorf("a page is told %q", told)
	}
	if _, err := openFolder(t.TempDir(), sealedExercises()); err == nil ||
		!strings.Contains(err.Error(), "no workspace here: name the clone") {
		t.Errorf("a folder without a workspace: %v", err)
	}
}

// judge has the server judge files, as a check of a page does.
func (s *folderServer) judge(t *testing.T, pass bool, text string, headers ...string) {
	t.Helper()
	v := verdict.Verdict{Schema: verdict.Schema, Exercise: s.exercise.ID, Pass: pass,
		Benchmarks: []verdict.Benchmark{{Name: "BenchmarkReplace", AllocsPerOp: 1}}}
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("POST", "/check", nil)
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:1234"
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	rec := &record{files: map[string]string{s.file: text}}
	s.judged(r.WithContext(context.WithValue(r.Context(), recordKey{}, rec)), body)
}

func (s *folderServer) state(t *testing.T) workspace.State {
	t.Helper()
	state, err := s.workspace.State(s.exercise)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// TestWorkspaceRecords tests which verdicts are recorded: the server's own on the code that is in the workspace, now
// or a little later.
func TestWorkspaceRecords(t *testing.T) {
	s := newFolderServer(t)
	starter := string(s.exercise.Files[s.file])
	s.judge(t, true, starter, "Origin: https://evil.example")
	if state := s.state(t); state.Passed != nil || state.Last != nil {
		t.Errorf("recorded for another site: %+v", state)
	}
	s.judge(t, false, starter)
	if state := s.state(t); state.Passed != nil || len(state.Last) != 1 {
		t.Errorf("after a check that failed: %+v", state)
	}
	s.judge(t, true, "package mine\n")
	if state := s.state(t); state.Passed != nil {
		t.Errorf("recorded before the code is in the workspace: %+v", state)
	}
	put := func(text string, more workspaceChange) {
		t.Helper()
		tag := s.send(t, "GET", copyPath, "").header.Get("ETag")
		if a := s.send(t, "PUT", copyPath, s.change(t, text, more), "If-Match: "+tag); a.status != 200 {
			t.Fatalf("status %d: %s", a.status, a.body)
		}
	}
	put("package other\n", workspaceChange{Hints: 99})
	if state := s.state(t); state.Passed != nil || state.Hints != len(s.exercise.Hints) {
		t.Errorf("recorded for other code, or not all hints of the exercise are shown: %+v", state)
	}
	put("package mine\n", workspaceChange{Spoiled: true, Hints: -1})
	state := s.state(t)
	if state.Standing() != "passed, after the solution" || state.Hints != len(s.exercise.Hints) {
		t.Errorf("once the code is there: %+v", state)
	}
	a := s.send(t, "GET", workspacePath, "")
	validate(t, workspacePath, workspace.Progress{}, a.body)
	p := decode[workspace.Progress](t, a)
	if got := p.Of("exercise6"); got.Passed == nil || !got.Passed.Equal(*state.Passed) {
		t.Errorf("the page gets %+v", got)
	}
	if again := s.send(t, "GET", workspacePath, "", "If-None-Match: "+a.header.Get("ETag")); again.status != 304 {
		t.Errorf("with its tag: status %d", again.status)
	}
}

// TestWorkspaceCheck has a server check code that is in its workspace, as one answer and as a stream.
func TestWorkspaceCheck(t *testing.T) {
	t.Parallel()
	s := newFolderServer(t)
	server := idleServer(t, 1, 2)
	server.workspace = s.workspace
	ts := startServer(t, server.handler())
	starter := texts(s.exercise.Starter())
	for _, accept := range []string{"application/json", "text/event-stream"} {
		if err := s.workspace.ChangeProgress(func(p *workspace.Progress) { *p.Of(s.exercise.ID) = workspace.State{} }); err != nil {
			t.Fatal(err)
		}
		body, err := json.Marshal(checkRequest{s.exercise.ID, starter})
		if err != nil {
			t.Fatal(err)
		}
		reply, text := sendWith(t, "POST", ts.URL+"/check", string(body), "Content-Type: application/json", "Accept: "+accept)
		if state := s.state(t); reply.StatusCode != 200 || len(state.Last) == 0 || state.Passed != nil {
			t.Errorf("%s: status %d, recorded %+v: %s", accept, reply.StatusCode, state, text)
		}
	}
}
