package api

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRoom grades the starter and the solution of exercise1 in a room, with the real toolchain, and kills the server.
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
	code := do(201, "POST", "/api/rooms", instructor, `{"title":"Monday","exercises":["exercise1"]}`)["room"].(string)
	at := "/api/rooms/" + code
	ada := do(201, "POST", at+"/join", "", `{"name":"Ada"}`)["token"].(string)
	do(400, "POST", at+"/submissions", ada, `{"exercise":"exercise1","files":{"../x.go":""}}`)
	e := sealedExercises().Lookup("exercise1")
	for _, c := range []struct {
		files map[string][]byte
		pass  bool
	}{{e.Starter(), false}, {e.Solution, true}} {
		texts := map[string]string{}
		for name, text := range c.files {
			texts[name] = string(text)
		}
		files, _ := json.Marshal(texts)
		body := `{"files":` + string(files) + `,"exercise":"exercise1"}`
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
