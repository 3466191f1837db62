package roomhttp

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"onthestack/runner/request"
	"onthestack/runner/room"
	"onthestack/runner/store"
)

const instructor = "TEACHERTEACHER22"

// A class is a server with rooms in a folder.
type class struct {
	t      *testing.T
	url    string
	server *Server
}

// start serves the rooms in dir until the test ends or stop is called.
func start(t *testing.T, dir string) (_ class, stop func()) {
	t.Helper()
	return startWith(t, store.Options{Dir: dir}, func(*Options) {})
}

// startWith is start with other options.
func startWith(t *testing.T, in store.Options, set func(*Options)) (_ class, stop func()) {
	t.Helper()
	opened, err := store.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	j, err := opened.Journal(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Journal: j, Exercises: []string{"exercise6", "exercise7"}, Instructor: instructor,
		Validate: func(_ string, files map[string]string) error {
			if files["b.go"] != "" {
				return request.Refuse(http.StatusBadRequest, "b.go is not a file of the exercise")
			}
			return nil
		},
		Client: func(r *http.Request) string { return r.Header.Get("X-Client") },
		Secure: func(r *http.Request) bool { return r.Header.Get("X-Forwarded-Proto") == "https" },
		Log:    slog.New(slog.NewTextHandler(t.Output(), nil))}
	set(&o)
	s := New(o)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { s.Run(ctx) })
	grade := func(ctx context.Context, task store.Task) (store.Graded, error) {
		if strings.Contains(task.Files["stream.go"], "endless") {
			<-ctx.Done()
			return store.Graded{}, ctx.Err()
		}
		pass := strings.Contains(task.Files["stream.go"], "right")
		score := 0.0
		if pass {
			score = 1
		}
		return store.Graded{Verdict: json.RawMessage(fmt.Sprintf(`{"pass":%t}`, pass)),
			Grade: room.Grade{Pass: pass, Score: score}}, nil
	}
	running.Go(func() { j.Grade(ctx, 1, grade) })
	server := httptest.NewServer(s.Handler())
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			cancel()
			server.CloseClientConnections()
			server.Close()
			running.Wait()
			opened.Close()
		}
	}
	t.Cleanup(stop)
	c := class{t, server.URL, s}
	c.until(s.IsReady)
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
	c.check(r, response.StatusCode, text)
	return response.StatusCode, answer
}

// check holds an answer to the description of its operation.
func (c class) check(r *http.Request, status int, answer []byte) {
	c.t.Helper()
	mux := http.NewServeMux()
	for _, o := range Operations() {
		mux.HandleFunc(o.Method+" "+o.Path, func(http.ResponseWriter, *http.Request) {
			if err := asDescribed(o, status, answer); err != nil {
				c.t.Errorf("%s %s, status %d: %v\n%s", r.Method, r.URL.Path, status, err, answer)
			}
		})
	}
	mux.ServeHTTP(httptest.NewRecorder(), r)
}

// asDescribed returns an error if an answer is not as the operation describes it.
func asDescribed(o request.Operation, status int, answer []byte) error {
	body := o.Answer
	if status >= http.StatusBadRequest {
		body = request.Error{}
	} else if status != o.Status {
		return fmt.Errorf("status %d is not described", status)
	}
	if _, media := body.(request.Media); media {
		return nil
	}
	if body == nil {
		if len(answer) > 0 {
			return errors.New("an answer of this status has no body")
		}
		return nil
	}
	schema, err := request.Schema(body)
	if err != nil {
		return err
	}
	// A schema may name itself by a relative URI.
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{BaseURI: "file:///"})
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal(answer, &value); err != nil {
		return err
	}
	return resolved.Validate(value)
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
	return c.do(201, "POST", "/api/rooms", instructor, `{"title":"Monday","exercises":["exercise6"]}`)["room"].(string)
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

	wrong := c.do(202, "POST", at+"/submissions", ada, `{"exercise":"exercise6","files":{"stream.go":"wrong"}}`)["id"]
	again := c.do(202, "POST", at+"/submissions", ada, `{"exercise":"exercise6","files":{"stream.go":"wrong"}}`)["id"]
	if wrong != again {
		t.Errorf("the same key gave %v and %v", wrong, again)
	}
	right := c.do(202, "POST", at+"/submissions", ada,
		`{"exercise":"exercise6","files":{"stream.go":"right"}}`)["id"].(string)
	c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+right, ada, "")["state"] == "graded" })
	c.do(404, "GET", at+"/submissions/"+right, bob, "")
	c.do(200, "POST", at+"/hand", bob, `{"exercise":"exercise6","raised":true}`)

	for range 2 { // before and after a restart
		view, _ := json.Marshal(c.do(200, "GET", at, instructor, "")["participants"])
		var rows []participantView
		if err := json.Unmarshal(view, &rows); err != nil {
			t.Fatal(err)
		}
		if len(rows) != 2 || rows[0].Name != "Ada (2)" || rows[0].Hand != "exercise6" ||
			!rows[1].Work["exercise6"].Passed ||
			rows[1].Work["exercise6"].Best != right || rows[1].Work["exercise6"].Attempts != 2 {
			t.Errorf("%s", view)
		}
		if own := c.do(200, "GET", at, bob, "")["participants"].([]any); len(own) != 1 {
			t.Errorf("a participant sees %v", own)
		}
		stop()
		c, stop = start(t, dir)
	}
	c.do(403, "PATCH", at, ada, `{"lower":"x"}`)
	c.do(400, "PATCH", at, instructor, `{"lower":"x"}`)
	row := c.do(200, "GET", at, bob, "")["participants"].([]any)[0].(map[string]any)
	c.do(200, "PATCH", at, instructor, fmt.Sprintf(`{"lower":%q}`, row["id"]))
	if row := c.do(200, "GET", at, bob, "")["participants"].([]any)[0].(map[string]any); row["hand"] != nil {
		t.Errorf("the instructor lowered the hand, and it is up at %v", row["hand"])
	}
	c.do(204, "POST", at+"/progress", bob, `{"exercise":"exercise6","stage":"benchmark","allocs":2,"target":1}`)
	c.do(200, "PATCH", at, instructor, `{"close":"exercise6"}`)
	c.do(409, "POST", at+"/submissions", ada, `{"exercise":"exercise6","files":{"stream.go":"late"}}`)
	c.do(200, "PATCH", at, instructor, `{"open":"exercise6"}`)
	c.do(200, "PATCH", at, instructor, `{"deadline":"2020-01-01T00:00:00Z"}`)
	late := c.do(202, "POST", at+"/submissions", bob,
		`{"exercise":"exercise6","files":{"stream.go":"right"}}`)["id"].(string)
	c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+late, bob, "")["state"] == "graded" })
	if c.do(200, "GET", at+"/submissions/"+late, bob, "")["late"] != true {
		t.Error("a submission after the deadline is not marked")
	}
	c.do(200, "PATCH", at, instructor, `{"regradeEach":"exercise6"}`)
	c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+late, bob, "")["state"] == "graded" })
	grades, _ := json.Marshal(c.do(200, "GET", at+"/grades.json", instructor, "")["grades"])
	var book []room.Row
	if err := json.Unmarshal(grades, &book); err != nil || len(book) != 2 || book[0].Late || !book[1].Late ||
		!book[1].Passed {
		t.Errorf("%v: %s", err, grades)
	}
	c.do(403, "GET", at+"/grades.json", ada, "")
	for file, begins := range map[string]string{"grades.csv": "\ufeffname,participant,exercise", "archive.zip": "PK"} {
		if text := c.fetch(at+"/"+file, instructor); !strings.HasPrefix(text, begins) {
			t.Errorf("%s begins with %.40q", file, text)
		}
	}
	c.do(404, "GET", at+"/grades/classroom50.zip", instructor, "")
	for _, format := range formats() {
		c.do(403, "GET", at+"/grades/"+format+".zip", ada, "")
		text := c.fetch(at+"/grades/"+format+".zip", instructor)
		z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
		if err != nil || len(z.File) != 2 || !strings.HasPrefix(z.File[0].Name, "Ada") ||
			z.File[0].UncompressedSize64 == 0 {
			t.Errorf("%s: %v, %+v", format, err, z)
		}
	}
	c.do(403, "DELETE", at, ada, "")
	c.do(204, "DELETE", at, instructor, "")
	c.do(404, "GET", at, instructor, "")
}

// TestList tests the instructor's list of rooms: the room that changed last comes first, and deleted ones are absent.
func TestList(t *testing.T) {
	c, _ := start(t, t.TempDir())
	first, second, deleted := c.open(), c.open(), c.open()
	ada := c.join(first, "Ada")
	c.do(204, "DELETE", "/api/rooms/"+deleted, instructor, "")
	c.do(401, "GET", "/api/rooms", "", "")
	c.do(403, "GET", "/api/rooms", ada, "")
	c.do(200, "PATCH", "/api/rooms/"+second, instructor, `{"end":true}`)
	text, _ := json.Marshal(c.do(200, "GET", "/api/rooms", instructor, ""))
	var got roomsAnswer
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Rooms) != 2 || got.Rooms[0].Room != second || !got.Rooms[0].Ended || got.Rooms[1].Room != first ||
		got.Rooms[1].Participants != 1 || got.Rooms[1].Ended || got.Rooms[1].Changed.IsZero() {
		t.Errorf("%s", text)
	}
}

// TestRefused sends requests that are refused, and compares their statuses.
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
		"a room by a participant": {403, "POST", "/api/rooms", ada, `{"title":"x","exercises":["exercise6"]}`},
		"an exercise that is not": {400, "POST", "/api/rooms", instructor,
			`{"title":"x","exercises":["exercise14"]}`},
		"an exercise twice": {400, "POST", "/api/rooms", instructor,
			`{"title":"x","exercises":["exercise6","exercise6"]}`},
		"an unknown field": {400, "POST", "/api/rooms", instructor,
			`{"title":"x","exercises":["exercise6"],"y":1}`},
		"a second value":           {400, "POST", at + "/join", "", `{"name":"a"}{}`},
		"no name":                  {400, "POST", at + "/join", "", `{"name":" \u200b\u202e "}`},
		"a name of 10,000 letters": {400, "POST", at + "/join", "", `{"name":"` + strings.Repeat("a", 3000) + `"}`},
		"a body that is too large": {413, "POST", at + "/join", "",
			`{"name":"` + strings.Repeat("a", 10_000) + `"}`},
		"no token":                    {401, "GET", at, "", ""},
		"a token of another room":     {403, "GET", at, stranger, ""},
		"a room that is not":          {404, "GET", "/api/rooms/222222", instructor, ""},
		"a code that cannot be":       {404, "POST", "/api/rooms/nothing/join", "", `{"name":"a"}`},
		"handed in by the instructor": {403, "POST", at + "/submissions", instructor, submit("exercise6")},
		"an exercise of no lesson":    {400, "POST", at + "/submissions", ada, submit("exercise7")},
		"a foreign file": {400, "POST", at + "/submissions", ada,
			`{"exercise":"exercise6","files":{"b.go":"x"}}`},
		"a submission of nobody":       {404, "GET", at + "/submissions/x", ada, ""},
		"a hand at another exercise":   {400, "POST", at + "/hand", ada, `{"exercise":"exercise7","raised":true}`},
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
	code := c.open()
	at := "/api/rooms/" + code + "/join"
	bob := c.join(code, "Bob")
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
	// Neither who joined from mallory's address before nor the instructor suffers; whoever guesses a token does.
	for _, token := range []string{bob, instructor} {
		if status, _ := c.try("GET", "/api/rooms/"+code, token, "", mallory); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
	}
	refused = false
	for range guessBurst + 50 { // one guess a second is allowed
		status, _ := c.try("GET", "/api/rooms/"+code, room.NewToken(), "", mallory)
		if refused = status == http.StatusTooManyRequests; refused {
			break
		}
	}
	if !refused {
		t.Error("nothing bounds the guesses of a token")
	}
}

// TestStaleSeats has pages ask again and again for a room that was deleted. The people behind their address can still
// join another room.
func TestStaleSeats(t *testing.T) {
	c, _ := start(t, t.TempDir())
	old, code := c.open(), c.open()
	seat := c.join(old, "Ada")
	c.do(204, "DELETE", "/api/rooms/"+old, instructor, "")
	router := http.Header{"X-Client": {"router"}}
	refused := false
	for range guessBurst + 50 {
		status, _ := c.try("GET", "/api/rooms/"+old, seat, "", router)
		refused = refused || status == http.StatusTooManyRequests
	}
	if !refused {
		t.Error("nothing bounds how often a room is asked for that does not exist")
	}
	if status, answer := c.try("POST", "/api/rooms/"+code+"/join", "", `{"name":"Bob"}`, router); status != 201 {
		t.Errorf("status %d: %v", status, answer)
	}
}

// events opens a stream. next returns its next event, and false at its end.
func (c class) events(code, token, last string) (next func() (id, name, data string, ok bool)) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), "GET", c.url+"/api/rooms/"+code+"/events", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Last-Event-ID", last)
	response, err := http.DefaultClient.Do(r)
	if err != nil || response.StatusCode != http.StatusOK {
		c.t.Fatalf("%v, %+v", err, response)
	}
	c.t.Cleanup(func() { response.Body.Close() })
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	return func() (id, name, data string, ok bool) {
		for lines.Scan() {
			field, value, _ := strings.Cut(lines.Text(), ": ")
			switch field {
			case "id":
				id = value
			case "event":
				name = value
			case "data":
				return id, name, value, true
			}
		}
		return "", "", "", false
	}
}

// TestEvents tests that a stream begins with the state, tells changes, and continues from the last event that was seen.
func TestEvents(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	// The time in which a request must arrive does not end a stream.
	const readTime = time.Second
	strict := httptest.NewUnstartedServer(c.server.Handler())
	strict.Config.ReadTimeout = readTime
	strict.Start()
	defer strict.Close()
	defer strict.CloseClientConnections()
	next := class{t, strict.URL, c.server}.events(code, instructor, "")
	if _, _, data, _ := next(); !strings.Contains(data, `"title":"Monday"`) {
		t.Errorf("first %s", data)
	}
	time.Sleep(2 * readTime)
	c.join(code, "Ada")
	id, _, data, ok := next()
	if !strings.Contains(data, `"name":"Ada"`) {
		t.Errorf("then %s, %t", data, ok)
	}
	next = c.events(code, instructor, id)
	bob := c.join(code, "Bob")
	if after, _, data, _ := next(); after == id || !strings.Contains(data, `"name":"Bob"`) {
		t.Errorf("reconnected: %s", data)
	}
	// A participant sees their own row alone, and learns that they were removed.
	own := c.events(code, bob, "")
	_, _, data, _ = own()
	var view roomView
	if err := json.Unmarshal([]byte(data), &view); err != nil || len(view.Participants) != 1 ||
		view.Participants[0].Name != "Bob" {
		t.Fatalf("%v, %s", err, data)
	}
	c.do(200, "PATCH", "/api/rooms/"+code, instructor, `{"remove":"`+view.Participants[0].ID+`"}`)
	if _, name, _, _ := own(); name != "gone" {
		t.Errorf("a removed participant gets %q", name)
	}
	c.do(403, "GET", "/api/rooms/"+code, bob, "")
}

// TestStreamsBounded tests that one participant does not keep any number of streams open, and that a server that stops
// ends all.
func TestStreamsBounded(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code + "/events"
	ada, bob := c.join(code, "Ada"), c.join(code, "Bob")
	streams := []func() (id, name, data string, ok bool){c.events(code, bob, "")}
	for range maxStreams {
		streams = append(streams, c.events(code, ada, ""))
	}
	c.do(429, "GET", at, ada, "")
	c.server.EndStreams()
	for _, next := range streams {
		for ok := true; ok; {
			_, _, _, ok = next()
		}
	}
	c.do(503, "GET", at, bob, "")
}

// TestPrivate tests what somebody with one token learns about others.
func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	c, stop := start(t, dir)
	code := c.open()
	at := "/api/rooms/" + code
	ada, bob := c.join(code, "Ada"), c.join(code, "Bob")
	eve := c.do(201, "POST", "/api/rooms/"+c.open()+"/join", "", `{"name":"Eve"}`)["token"].(string)
	id := c.do(202, "POST", at+"/submissions", ada,
		`{"exercise":"exercise6","files":{"stream.go":"right"}}`)["id"].(string)
	own := c.do(200, "GET", at+"/submissions/"+id, ada, "")
	if files := own["files"].(map[string]any); files["stream.go"] != "right" {
		t.Errorf("what was handed in comes back as %v", own)
	}
	c.do(404, "GET", at+"/submissions/"+id, bob, "")
	c.do(403, "GET", at+"/submissions/"+id, eve, "")
	c.do(403, "PATCH", at, bob, `{"share":"`+id+`"}`)
	c.do(200, "PATCH", at, instructor, `{"share":"`+id+`"}`)
	shared, _ := json.Marshal([]any{c.do(200, "GET", at+"/submissions/"+id, bob, ""), c.do(200, "GET", at, bob, "")})
	if !strings.Contains(string(shared), `"shared":[{"exercise":"exercise6","id":"`+id+`","passed":`) ||
		strings.Contains(string(shared), "Ada") {
		t.Errorf("shared without its name: %s", shared)
	}
	c.do(403, "GET", at+"/submissions/"+id, eve, "")

	// A participant who has got hold of the instructor's token is an instructor until the token is another one. The
	// participants' own tokens stay.
	stop()
	const next = "ANOTHERTEACHER22"
	c, _ = startWith(t, store.Options{Dir: dir}, func(o *Options) { o.Instructor = next })
	c.do(403, "GET", at, instructor, "")
	c.do(403, "POST", "/api/rooms", instructor, `{"title":"x","exercises":["exercise6"]}`)
	c.do(200, "GET", at, next, "")
	c.do(200, "GET", at, ada, "")
}

// TestClock sets the server's clock back. No change is in the future of the pages, and what is late is late by the
// clock as it is.
func TestClock(t *testing.T) {
	var offset atomic.Int64
	c, _ := startWith(t, store.Options{Dir: t.TempDir()}, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(offset.Load())) }
	})
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	deadline, _ := json.Marshal(map[string]time.Time{"deadline": time.Now().Add(time.Hour)})
	c.do(200, "PATCH", at, instructor, string(deadline))
	for i, step := range []struct {
		offset time.Duration
		late   bool
	}{{0, false}, {2 * time.Hour, true}, {-2 * time.Hour, false}} {
		offset.Store(int64(step.offset))
		var before roomView // nothing has happened since the clock was set
		if err := json.Unmarshal([]byte(c.fetch(at, instructor)), &before); err != nil {
			t.Fatal(err)
		}
		if before.Now.After(before.Deadline) != step.late {
			t.Errorf("with the clock off by %v it is %v, and the deadline is %v", step.offset, before.Now, before.Deadline)
		}
		body := fmt.Sprintf(`{"exercise":"exercise6","files":{"stream.go":"right %d"}}`, i)
		id := c.do(202, "POST", at+"/submissions", ada, body)["id"].(string)
		c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+id, ada, "")["state"] == "graded" })
		if got := c.do(200, "GET", at+"/submissions/"+id, ada, "")["late"]; got != step.late {
			t.Errorf("with the clock off by %v: late %v", step.offset, got)
		}
		text := c.fetch(at, instructor)
		var v roomView
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		w := v.Participants[0].Work["exercise6"]
		if v.Now.Before(w.Changed) || w.Attempts != i+1 || w.Last != id {
			t.Errorf("with the clock off by %v: %s", step.offset, text)
		}
	}
}

// TestFull tests that a participant is told when the disk is full, that nothing acknowledged is lost, and that the same
// submission is taken once there is room.
func TestFull(t *testing.T) {
	c, _ := startWith(t, store.Options{Dir: t.TempDir(), MaxBytes: 1 << 20}, func(*Options) {})
	old := "/api/rooms/" + c.open()
	code := c.open()
	at := "/api/rooms/" + code
	var tokens []string // each submission is of another participant, because nothing is graded once the disk is full
	for i := range 20 {
		tokens = append(tokens, c.join(strings.TrimPrefix(old, "/api/rooms/"), fmt.Sprint("Ada ", i)))
	}
	body := func(i int) string {
		return fmt.Sprintf(`{"exercise":"exercise6","files":{"stream.go":"wrong %d %s"}}`, i,
			strings.Repeat("x", 100_000))
	}
	stored := 0
	for ; stored < len(tokens); stored++ {
		header := http.Header{"Idempotency-Key": {"key"}}
		status, answer := c.try("POST", old+"/submissions", tokens[stored], body(stored), header)
		if status == http.StatusInsufficientStorage && strings.Contains(answer["error"].(string), "disk is full") {
			break
		} else if status != http.StatusAccepted {
			t.Fatalf("status %d: %v", status, answer)
		}
	}
	if stored < 3 || stored == len(tokens) {
		t.Fatalf("%d submissions were stored", stored)
	}
	var v roomView
	if err := json.Unmarshal([]byte(c.fetch(old, instructor)), &v); err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, p := range v.Participants {
		if w, ok := p.Work["exercise6"]; ok {
			kept += w.Attempts
		}
	}
	if kept != stored {
		t.Errorf("%d of %d submissions are there", kept, stored)
	}
	c.do(204, "DELETE", old, instructor, "")
	bob := c.join(code, "Bob")
	status, _ := c.try("POST", at+"/submissions", bob, body(stored), http.Header{"Idempotency-Key": {"key"}})
	if status != http.StatusAccepted {
		t.Errorf("after a room was deleted: status %d", status)
	}
}

// TestNotes tests that one participant cannot fill the journal with checks and raised hands.
func TestNotes(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada, bob := c.join(code, "Ada"), c.join(code, "Bob")
	refused := false
	for i := range 4 * noteBurst {
		status, _ := c.try("POST", at+"/hand", ada, fmt.Sprintf(`{"exercise":"exercise6","raised":%t}`, i%2 == 0), nil)
		refused = refused || status == http.StatusTooManyRequests
	}
	if !refused {
		t.Error("nothing bounds what a participant notes")
	}
	c.do(204, "POST", at+"/progress", bob, `{"exercise":"exercise6","stage":"benchmark","allocs":2,"target":1}`)
	c.do(200, "PATCH", at, instructor, `{"end":true}`)
	c.do(410, "POST", at+"/hand", bob, `{"exercise":"exercise6","raised":true}`)
}

// TestJoins tests that one address cannot fill a room, and that others can still join.
func TestJoins(t *testing.T) {
	c, _ := start(t, t.TempDir())
	at := "/api/rooms/" + c.open() + "/join"
	join := func(client string) int {
		status, _ := c.try("POST", at, "", `{"name":"m"}`, http.Header{"X-Client": {client}})
		return status
	}
	for i := range 60 {
		if status := join("a class"); status != http.StatusCreated {
			t.Fatalf("participant %d of a class: status %d", i+1, status)
		}
	}
	refused := false
	for i := 0; i < 2*joinBurst && !refused; i++ {
		refused = join("mallory") == http.StatusTooManyRequests
	}
	if !refused {
		t.Error("nothing bounds how many join from one address")
	}
	if status := join("ada"); status != http.StatusCreated {
		t.Errorf("another client: status %d", status)
	}
}

// TestKeyAgain sends a key again: with the same content it is the same submission, with other content it is refused.
func TestKeyAgain(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	ada := c.join(code, "Ada")
	send := func(text string) (int, map[string]any) {
		return c.try("POST", "/api/rooms/"+code+"/submissions", ada,
			`{"exercise":"exercise6","files":{"stream.go":"`+text+`"}}`, http.Header{"Idempotency-Key": {"key"}})
	}
	status, first := send("package a")
	if status != http.StatusAccepted {
		t.Fatalf("status %d: %v", status, first)
	}
	if status, again := send("package a"); status != http.StatusAccepted || again["submission"] != first["submission"] {
		t.Errorf("the same again: status %d: %v, first %v", status, again, first)
	}
	if status, other := send("package b"); status != http.StatusConflict {
		t.Errorf("other content: status %d: %v", status, other)
	}
}
