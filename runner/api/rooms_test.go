package api

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"onthestack/internal/escape"
	"onthestack/internal/verdict"
)

// TestRoom grades the starter and the solution of exercise6 in a room, with the real toolchain, and kills the server.
// Nothing is lost.
func TestRoom(t *testing.T) {
	state := t.TempDir()
	r := startProcess(t, "--addr", "127.0.0.1:0", "--room", "on", "--state", state)
	name := filepath.Join(state, tokenFile)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	instructor := strings.TrimSpace(string(text))
	do := func(want int, method, path, token, body string) (answer map[string]any) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, r.at+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", "key"+body[:min(len(body), 40)])
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		response, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != want {
			t.Fatalf("%s %s: status %d, want %d: %v, %v", method, path, response.StatusCode, want, answer, err)
		}
		return answer
	}
	waitFor(t, "the rooms", func() bool { return get(t, r.at+"/api/rooms/222222", instructor) == http.StatusNotFound })
	code := do(201, "POST", "/api/rooms", instructor, `{"title":"Monday","exercises":["exercise6"]}`)["room"].(string)
	at := "/api/rooms/" + code
	ada := do(201, "POST", at+"/join", "", `{"name":"Ada"}`)["token"].(string)
	// In the queue and in the log, participants who share an address are clients of their own.
	names := map[string]bool{}
	for i, seat := range []string{ada, do(201, "POST", at+"/join", "", `{"name":"Bob"}`)["token"].(string), ""} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", r.at+"/version?"+strconv.Itoa(i), nil)
		if err != nil {
			t.Fatal(err)
		}
		req.AddCookie(&http.Cookie{Name: "onthestack-seat", Value: code + "." + seat})
		response, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	logged := regexp.MustCompile(`path=/version .*client=(\w+)`)
	waitFor(t, "three lines in the log", func() bool { return len(logged.FindAllString(r.log.String(), -1)) == 3 })
	for _, m := range logged.FindAllStringSubmatch(r.log.String(), -1) {
		names[m[1]] = true
	}
	if len(names) != 3 {
		t.Errorf("the log has %d clients, want 3\n%s", len(names), r.log)
	}
	do(400, "POST", at+"/submissions", ada, `{"exercise":"exercise6","files":{"../x.go":""}}`)
	e := sealedExercises().Lookup("exercise6")
	for _, c := range []struct {
		files map[string][]byte
		pass  bool
	}{{e.Starter(), false}, {e.Solution, true}} {
		texts := map[string]string{}
		for name, text := range c.files {
			texts[name] = string(text)
		}
		files, _ := json.Marshal(texts)
		body := `{"files":` + string(files) + `,"exercise":"exercise6"}`
		if c.pass {
			body = " " + body // another key
		}
		id := do(202, "POST", at+"/submissions", ada, body)["id"].(string)
		var graded map[string]any
		for end := time.Now().Add(2 * time.Minute); graded["state"] != "graded"; time.Sleep(50 * time.Millisecond) {
			if graded = do(200, "GET", at+"/submissions/"+id, ada, ""); time.Now().After(end) {
				t.Fatalf("it is not graded: %v", graded)
			}
		}
		if v := graded["verdict"].(map[string]any); v["pass"] != c.pass {
			t.Errorf("pass %v, want %t: %v", v["pass"], c.pass, v["stage"])
		}
	}
	r.Process.Kill()
	r.Wait()
	r = startProcess(t, "--addr", "127.0.0.1:0", "--room", "on", "--state", state)
	defer func() {
		r.signal(t)
		if err := r.Wait(); err != nil {
			t.Errorf("%v\n%s", err, r.log)
		}
	}()
	waitFor(t, "the rooms", func() bool { return get(t, r.at+at, instructor) == http.StatusOK })
	rows := do(200, "GET", at+"/grades.json", instructor, "")["grades"].([]any)
	if row := rows[0].(map[string]any); row["passed"] != true || row["attempts"] != 2.0 {
		t.Errorf("after a restart: %v", row)
	}
}

// get returns the status of a GET request.
func get(t *testing.T, url, token string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}

// TestStorable tests that a verdict that is too large for the journal keeps what decides.
func TestStorable(t *testing.T) {
	long := strings.Repeat("x", maxVerdict/2)
	for name, change := range map[string]func(*verdict.Verdict){
		"small":   func(*verdict.Verdict) {},
		"escapes": func(v *verdict.Verdict) { v.Escapes = []escape.Diagnostic{{Message: long}, {Message: long}} },
		"all": func(v *verdict.Verdict) {
			v.Escapes = []escape.Diagnostic{{Message: long}, {Message: long}}
			v.Allocations = []verdict.Allocation{{Code: long}, {Code: long}}
			v.Tests.Output = long + long
		},
	} {
		v := verdict.Verdict{Exercise: "exercise6", Stage: verdict.StageTests}
		change(&v)
		body, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := storable(v, body)
		var kept verdict.Verdict
		if err == nil {
			err = json.Unmarshal(stored, &kept)
		}
		if err != nil || len(stored) > maxVerdict || kept.Stage != v.Stage ||
			name == "small" && string(stored) != string(body) {
			t.Errorf("%s: %v, %d bytes, %q", name, err, len(stored), kept.Stage)
		}
	}
}

// TestInstructorToken tests what the file of the token may have.
func TestInstructorToken(t *testing.T) {
	const token = "NP6NWMEEQTFE82CX"
	for content, want := range map[string]string{
		token + "\n": token, "np6n-wmee qtfe-82cx": token, "": "", "\n": "", "secret": "", token + token: "",
		"NP6NWMEEQTFE82C0": "",
	} {
		name := filepath.Join(t.TempDir(), tokenFile)
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := instructorToken(name)
		switch {
		case got != want || (err == nil) != (want != ""):
			t.Errorf("%q: %q, %v", content, got, err)
		case err != nil && !strings.Contains(err.Error(), name+" does not have a token of 16 letters: remove the file"):
			t.Errorf("%q: %v", content, err)
		}
		if info, err := os.Stat(name); want != "" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("%q: others may read it: %v, %v", content, info.Mode(), err)
		}
	}
}

// TestRoomOrigins tests that a page of another site cannot join a room from a participant's browser.
func TestRoomOrigins(t *testing.T) {
	for _, method := range []string{"POST", "OPTIONS"} {
		r, err := http.NewRequestWithContext(t.Context(), method, base+"/api/rooms/K7M2QX/join",
			strings.NewReader(`{"name":"Ada"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Origin", "https://evil.example")
		response, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusForbidden || response.Header.Get("Access-Control-Allow-Headers") != "" {
			t.Errorf("%s: status %d, %v", method, response.StatusCode, response.Header)
		}
	}
}
