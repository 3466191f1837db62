package roomhttp

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"onthestack/runner/room"
	"onthestack/runner/room/journal"
)

const instructor = "TEACHERTEACHER22"

// A class is a server with rooms in a folder.
type class struct {
	t   *testing.T
	url string
}

// start serves the rooms in dir until the test ends or stop is called.
func start(t *testing.T, dir string) (_ class, stop func()) {
	t.Helper()
	j, err := journal.Open(t.Context(), journal.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{Journal: j, Exercises: []string{"exercise1", "exercise2"}, Instructor: instructor,
		Validate: func(_ string, files map[string]string) error {
			if files["b.go"] != "" {
				return Refuse(http.StatusBadRequest, "b.go is not a file of the exercise")
			}
			return nil
		},
		Client: func(r *http.Request) string { return r.Header.Get("X-Client") }, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	ctx, cancel := context.WithCancel(t.Context())
	go s.Run(ctx)
	go j.Grade(ctx, func(_ context.Context, task journal.Task) (journal.Graded, error) {
		pass := strings.Contains(task.Files["stream.go"], "right")
		score := 0.0
		if pass {
			score = 1
		}
		return journal.Graded{Verdict: json.RawMessage(`{"pass":true}`), Grade: room.Grade{Pass: pass, Score: score}}, nil
	})
	server := httptest.NewServer(s.Handler())
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			server.CloseClientConnections()
			server.Close()
			j.Close()
		}
	}
	t.Cleanup(stop)
	c := class{t, server.URL}
	c.until(func() bool {
		status, _ := c.try("GET", "/api/rooms/K7M2QX", instructor, "", nil)
		return status != http.StatusServiceUnavailable
	})
	return c, stop
}

// until waits until f reports true.
func (c class) until(f func() bool) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); !f(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatal("it does not come")
		}
	}
}

func (c class) try(method, path, token, body string, header http.Header) (status int, answer map[string]any) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if len(text) > 0 {
		if err := json.Unmarshal(text, &answer); err != nil {
			c.t.Fatalf("%s %s: %q", method, path, text)
		}
	}
	return response.StatusCode, answer
}

// fetch returns what a path answers with.
func (c class) fetch(path, token string) string {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), "GET", c.url+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		c.t.Fatalf("%s: status %d, %v", path, response.StatusCode, err)
	}
	return string(text)
}

// do sends a request that is answered with the status.
func (c class) do(want int, method, path, token, body string) map[string]any {
	c.t.Helper()
	status, answer := c.try(method, path, token, body, http.Header{"Idempotency-Key": {body}})
	if status != want {
		c.t.Fatalf("%s %s %s: status %d, want %d: %v", method, path, body, status, want, answer)
	}
	return answer
}

func (c class) open() (code string) {
	c.t.Helper()
	return c.do(201, "POST", "/api/rooms", instructor, `{"title":"Monday","exercises":["exercise1"]}`)["room"].(string)
}

func (c class) join(code, name string) (token string) {
	c.t.Helper()
	body, _ := json.Marshal(map[string]string{"name": name})
	return c.do(201, "POST", "/api/rooms/"+code+"/join", "", string(body))["token"].(string)
}

// TestLesson goes through a lesson: join, a wrong and a right submission, a raised hand, a restart of the server.
func TestLesson(t *testing.T) {
	dir := t.TempDir()
	c, stop := start(t, dir)
	code := c.open()
	at := "/api/rooms/" + code
	ada, bob := c.join(code, "Ada"), c.join(strings.ToLower(code[:3]+" "+code[3:]), "Ada")

	wrong := c.do(202, "POST", at+"/submissions", ada, `{"exercise":"exercise1","files":{"stream.go":"wrong"}}`)["id"]
	again := c.do(202, "POST", at+"/submissions", ada, `{"exercise":"exercise1","files":{"stream.go":"wrong"}}`)["id"]
	if wrong != again {
		t.Errorf("the same key gave %v and %v", wrong, again)
	}
	right := c.do(202, "POST", at+"/submissions", ada, `{"exercise":"exercise1","files":{"stream.go":"right"}}`)["id"].(string)
	c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+right, ada, "")["state"] == "graded" })
	c.do(404, "GET", at+"/submissions/"+right, bob, "")
	c.do(200, "POST", at+"/hand", bob, `{"exercise":"exercise1","raised":true}`)

	for range 2 { // before and after a restart
		view, _ := json.Marshal(c.do(200, "GET", at, instructor, "")["participants"])
		var rows []participantView
		if err := json.Unmarshal(view, &rows); err != nil {
			t.Fatal(err)
		}
		if len(rows) != 2 || rows[0].Name != "Ada (2)" || rows[0].Hand != "exercise1" || !rows[1].Work["exercise1"].Passed ||
			rows[1].Work["exercise1"].Best != right || rows[1].Work["exercise1"].Attempts != 2 {
			t.Errorf("%s", view)
		}
		if own := c.do(200, "GET", at, bob, "")["participants"].([]any); len(own) != 1 {
			t.Errorf("a participant sees %v", own)
		}
		stop()
		c, stop = start(t, dir)
	}
	c.do(204, "POST", at+"/progress", bob, `{"exercise":"exercise1","stage":"benchmark","allocs":2,"target":1}`)
	c.do(200, "PATCH", at, instructor, `{"close":"exercise1"}`)
	c.do(409, "POST", at+"/submissions", ada, `{"exercise":"exercise1","files":{"stream.go":"late"}}`)
	c.do(200, "PATCH", at, instructor, `{"open":"exercise1"}`)
	c.do(200, "PATCH", at, instructor, `{"deadline":"2020-01-01T00:00:00Z"}`)
	late := c.do(202, "POST", at+"/submissions", bob, `{"exercise":"exercise1","files":{"stream.go":"right"}}`)["id"].(string)
	c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+late, bob, "")["state"] == "graded" })
	if c.do(200, "GET", at+"/submissions/"+late, bob, "")["late"] != true {
		t.Error("a submission after the deadline is not marked")
	}
	c.do(200, "PATCH", at, instructor, `{"regradeEach":"exercise1"}`)
	c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+late, bob, "")["state"] == "graded" })
	grades, _ := json.Marshal(c.do(200, "GET", at+"/grades.json", instructor, "")["grades"])
	var book []room.Row
	if err := json.Unmarshal(grades, &book); err != nil || len(book) != 2 || book[0].Late || !book[1].Late || !book[1].Passed {
		t.Errorf("%v: %s", err, grades)
	}
	c.do(403, "GET", at+"/grades.json", ada, "")
	for file, begins := range map[string]string{"grades.csv": "name,participant,exercise", "archive.zip": "PK"} {
		if text := c.fetch(at+"/"+file, instructor); !strings.HasPrefix(text, begins) {
			t.Errorf("%s begins with %.40q", file, text)
		}
	}
	c.do(403, "DELETE", at, ada, "")
	c.do(204, "DELETE", at, instructor, "")
	c.do(404, "GET", at, instructor, "")
}

// TestRefused sends what is refused, each with its status.
func TestRefused(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	other := "/api/rooms/" + c.open()
	ada, stranger := c.join(code, "Ada"), ""
	stranger = c.do(201, "POST", other+"/join", "", `{"name":"Eve"}`)["token"].(string)
	submit := func(exercise string) string { return `{"exercise":"` + exercise + `","files":{}}` }
	for name, r := range map[string]struct {
		status                    int
		method, path, token, body string
	}{
		"a room by a participant":      {403, "POST", "/api/rooms", ada, `{"title":"x","exercises":["exercise1"]}`},
		"an exercise that is not":      {400, "POST", "/api/rooms", instructor, `{"title":"x","exercises":["exercise9"]}`},
		"an exercise twice":            {400, "POST", "/api/rooms", instructor, `{"title":"x","exercises":["exercise1","exercise1"]}`},
		"an unknown field":             {400, "POST", "/api/rooms", instructor, `{"title":"x","exercises":["exercise1"],"y":1}`},
		"a second value":               {400, "POST", at + "/join", "", `{"name":"a"}{}`},
		"no name":                      {400, "POST", at + "/join", "", `{"name":" \u200b\u202e "}`},
		"a name of 10,000 letters":     {400, "POST", at + "/join", "", `{"name":"` + strings.Repeat("a", 3000) + `"}`},
		"a body that is too large":     {413, "POST", at + "/join", "", `{"name":"` + strings.Repeat("a", 10_000) + `"}`},
		"no token":                     {401, "GET", at, "", ""},
		"a token of another room":      {403, "GET", at, stranger, ""},
		"a room that is not":           {404, "GET", "/api/rooms/222222", instructor, ""},
		"a code that cannot be":        {404, "POST", "/api/rooms/nothing/join", "", `{"name":"a"}`},
		"handed in by the instructor":  {403, "POST", at + "/submissions", instructor, submit("exercise1")},
		"an exercise of no lesson":     {400, "POST", at + "/submissions", ada, submit("exercise2")},
		"a foreign file":               {400, "POST", at + "/submissions", ada, `{"exercise":"exercise1","files":{"b.go":"x"}}`},
		"a submission of nobody":       {404, "GET", at + "/submissions/x", ada, ""},
		"a hand at another exercise":   {400, "POST", at + "/hand", ada, `{"exercise":"exercise2","raised":true}`},
		"a submission without its key": {400, "POST", at + "/submissions", ada, ""},
	} {
		status, answer := c.try(r.method, r.path, r.token, r.body, http.Header{"Idempotency-Key": {r.body}})
		if status != r.status || answer["error"] == "" {
			t.Errorf("%s: status %d, want %d: %v", name, status, r.status, answer)
		}
	}
}

// TestGuesses tests that a client that guesses codes is refused after a while, and that others are not.
func TestGuesses(t *testing.T) {
	c, _ := start(t, t.TempDir())
	at := "/api/rooms/" + c.open() + "/join"
	mallory := http.Header{"X-Client": {"mallory"}}
	refused := false
	for range guessBurst + 50 {
		status, _ := c.try("POST", "/api/rooms/"+room.NewCode()+"/join", "", `{"name":"m"}`, mallory)
		refused = refused || status == http.StatusTooManyRequests
	}
	if !refused {
		t.Error("nothing bounds the guesses of a client")
	}
	if status, _ := c.try("POST", at, "", `{"name":"Ada"}`, http.Header{"X-Client": {"ada"}}); status != 201 {
		t.Errorf("another client: status %d", status)
	}
}

// TestEvents tests that a stream begins with the state, tells changes, and continues from the last event that was seen.
func TestEvents(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	connect := func(last string) (next func() (id, data string)) {
		r, err := http.NewRequestWithContext(t.Context(), "GET", c.url+"/api/rooms/"+code+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+instructor)
		r.Header.Set("Last-Event-ID", last)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		lines := bufio.NewScanner(response.Body)
		return func() (id, data string) {
			for lines.Scan() {
				line := lines.Text()
				if after, ok := strings.CutPrefix(line, "id: "); ok {
					id = after
				}
				if after, ok := strings.CutPrefix(line, "data: "); ok {
					return id, after
				}
			}
			t.Fatalf("the stream ended: %v", lines.Err())
			return "", ""
		}
	}
	next := connect("")
	if _, data := next(); !strings.Contains(data, `"title":"Monday"`) {
		t.Errorf("first %s", data)
	}
	c.join(code, "Ada")
	id, data := next()
	if !strings.Contains(data, `"name":"Ada"`) {
		t.Errorf("then %s", data)
	}
	next = connect(id)
	c.join(code, "Bob")
	if after, data := next(); after == id || !strings.Contains(data, `"name":"Bob"`) {
		t.Errorf("reconnected: %s", data)
	}
}
