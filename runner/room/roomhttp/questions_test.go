package roomhttp

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"onthestack/runner/room"
	"onthestack/runner/store"
)

// questionOf returns what the owner of a token sees of the question that the room is being asked, as JSON; "null" for
// none.
func (c class) questionOf(at, token string) string {
	c.t.Helper()
	text, err := json.Marshal(c.do(200, "GET", at, token, "")["question"])
	if err != nil {
		c.t.Fatal(err)
	}
	return string(text)
}

// TestQuestion goes through a question: it is asked, answered, closed, its answer is shown, and it is put away. At each
// step everybody sees what they may, and a restart of the server loses nothing.
func TestQuestion(t *testing.T) {
	dir := t.TempDir()
	c, stop := start(t, dir)
	code := c.open()
	at := "/api/rooms/" + code
	ada, ben, chi := c.join(code, "Ada"), c.join(code, "Ben"), c.join(code, "Chi")
	view := func(who, want string) {
		t.Helper()
		token := map[string]string{"Ada": ada, "Chi": chi, "the instructor": instructor,
			"a helper": room.HelperToken(instructor)}[who]
		if got := c.questionOf(at, token); got != want {
			t.Errorf("%s sees %s, want %s", who, got, want)
		}
	}
	one := at + "/questions/1"
	view("Ada", "null")
	c.do(200, "POST", at+"/questions", instructor, `{"question":"predict-a"}`)
	view("Ada", `{"number":1,"question":"predict-a","state":"open"}`)
	c.do(204, "PUT", one+"/answer", ada, `{"answer":2}`)
	c.do(204, "PUT", one+"/answer", ben, `{"answer":2}`)
	view("Ada", `{"mine":2,"number":1,"question":"predict-a","state":"open"}`)
	view("Chi", `{"number":1,"question":"predict-a","state":"open"}`)
	view("the instructor", `{"answered":2,"number":1,"question":"predict-a","state":"open"}`)
	c.do(204, "PUT", one+"/answer", ada, `{"answer":0}`)
	view("Ada", `{"mine":0,"number":1,"question":"predict-a","state":"open"}`)

	c.do(200, "PATCH", one, instructor, `{"state":"closed"}`)
	c.do(409, "PUT", one+"/answer", chi, `{"answer":5}`)
	const counts = `[{"answer":0,"participants":1},{"answer":2,"participants":1}]`
	const names = `[{"answer":0,"names":["Ada"],"participants":1},{"answer":2,"names":["Ben"],"participants":1}]`
	view("Ada", `{"counts":`+counts+`,"mine":0,"number":1,"question":"predict-a","state":"closed"}`)
	view("Chi", `{"counts":`+counts+`,"number":1,"question":"predict-a","state":"closed"}`)
	for _, who := range []string{"the instructor", "a helper"} {
		view(who, `{"answered":2,"counts":`+names+`,"number":1,"question":"predict-a","state":"closed"}`)
	}
	c.do(200, "PATCH", one, instructor, `{"state":"shown"}`)
	view("Chi", `{"counts":`+counts+`,"number":1,"question":"predict-a","state":"shown"}`)
	c.do(200, "PATCH", one, instructor, `{"state":"away"}`)

	for range 2 { // before and after a restart
		for _, who := range []string{"Ada", "the instructor"} {
			view(who, "null")
		}
		away, _ := json.Marshal(c.do(200, "GET", at, instructor, "")["asked"])
		want := `[{"answered":2,"counts":` + counts + `,"number":1,"question":"predict-a","state":"away"}]`
		if string(away) != want {
			t.Errorf("the instructor sees %s, want %s", away, want)
		}
		if away := c.do(200, "GET", at, ada, "")["asked"]; away != nil {
			t.Errorf("a participant sees %v", away)
		}
		stop()
		c, stop = start(t, dir)
	}

	grades, _ := json.Marshal(c.do(200, "GET", at+"/grades.json", instructor, "")["predictions"])
	text := c.fetch(at+"/archive.zip", instructor)
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil || len(z.File) != 1 || z.File[0].Name != predictionsFile {
		t.Fatalf("%v, %+v", err, z)
	}
	f, err := z.File[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	archived, err := io.ReadAll(f)
	for _, kept := range [][]byte{grades, archived} {
		var asked []room.AskedQuestion
		if json.Unmarshal(kept, &asked) != nil || len(asked) != 1 || len(asked[0].Answers) != 2 || err != nil ||
			strings.Contains(string(kept), "Ada") {
			t.Errorf("%s, %v", kept, err)
		}
	}
	c.do(204, "DELETE", at, instructor, "")
	c.do(404, "GET", at, instructor, "")
}

// TestQuestionRefused tests what is refused of questions, in this order, in a room that Ada has joined.
func TestQuestionRefused(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada, helper := c.join(code, "Ada"), room.HelperToken(instructor)
	long := strings.Repeat("a", room.MaxQuestionID+1)
	for _, r := range []struct {
		name               string
		want               int
		method, path, body string
		token              string
	}{
		{"a helper asks", 403, "POST", "", `{"question":"predict-a"}`, helper},
		{"a participant asks", 403, "POST", "", `{"question":"predict-a"}`, ada},
		{"no ID", 400, "POST", "", `{}`, instructor},
		{"an ID that is a path", 400, "POST", "", `{"question":"../a"}`, instructor},
		{"a long ID", 400, "POST", "", `{"question":"` + long + `"}`, instructor},
		{"one choice", 400, "POST", "", `{"question":"question-a","choices":1}`, instructor},
		{"too many choices", 400, "POST", "", `{"question":"question-a","choices":9}`, instructor},
		{"an answer to no question", 404, "PUT", "/1/answer", `{"answer":1}`, ada},
		{"the first is asked", 200, "POST", "", `{"question":"question-a","choices":3}`, instructor},
		{"a second is asked", 409, "POST", "", `{"question":"predict-b"}`, instructor},
		{"an answer to an unknown question", 404, "PUT", "/2/answer", `{"answer":1}`, ada},
		{"a number that is none", 404, "PUT", "/one/answer", `{"answer":1}`, ada},
		{"not a choice", 400, "PUT", "/1/answer", `{"answer":3}`, ada},
		{"a negative answer", 400, "PUT", "/1/answer", `{"answer":-1}`, ada},
		{"no answer", 400, "PUT", "/1/answer", `{}`, ada},
		{"a fraction", 400, "PUT", "/1/answer", `{"answer":1.5}`, ada},
		{"words", 400, "PUT", "/1/answer", `{"answer":"two"}`, ada},
		{"the instructor answers", 403, "PUT", "/1/answer", `{"answer":1}`, instructor},
		{"a helper closes", 403, "PATCH", "/1", `{"state":"closed"}`, helper},
		{"a participant closes", 403, "PATCH", "/1", `{"state":"closed"}`, ada},
		{"shown while it is open", 409, "PATCH", "/1", `{"state":"shown"}`, instructor},
		{"opened", 400, "PATCH", "/1", `{"state":"open"}`, instructor},
		{"an unknown one is closed", 404, "PATCH", "/2", `{"state":"closed"}`, instructor},
		{"closed", 200, "PATCH", "/1", `{"state":"closed"}`, instructor},
		{"closed twice", 200, "PATCH", "/1", `{"state":"closed"}`, instructor},
		{"a late answer", 409, "PUT", "/1/answer", `{"answer":1}`, ada},
		{"a helper shows", 403, "PATCH", "/1", `{"state":"shown"}`, helper},
		{"shown", 200, "PATCH", "/1", `{"state":"shown"}`, instructor},
		{"closed once more", 200, "PATCH", "/1", `{"state":"closed"}`, instructor},
		{"put away", 200, "PATCH", "/1", `{"state":"away"}`, instructor},
		{"put away twice", 200, "PATCH", "/1", `{"state":"away"}`, instructor},
		{"shown when it is away", 409, "PATCH", "/1", `{"state":"shown"}`, instructor},
		{"a number to predict is asked", 200, "POST", "", `{"question":"predict-b"}`, instructor},
		{"a number that is too large", 400, "PUT", "/2/answer", `{"answer":100000}`, ada},
		{"an answer to the one before", 409, "PUT", "/1/answer", `{"answer":1}`, ada},
		{"an answer", 204, "PUT", "/2/answer", `{"answer":99999}`, ada},
	} {
		if status, answer := c.try(r.method, at+"/questions"+r.path, r.token, r.body, nil); status != r.want {
			t.Errorf("%s: status %d, want %d: %v", r.name, status, r.want, answer)
		}
	}
	c.do(200, "PATCH", at, instructor, `{"end":true}`)
	c.do(410, "PUT", at+"/questions/2/answer", ada, `{"answer":1}`)
	c.do(200, "PATCH", at+"/questions/2", instructor, `{"state":"away"}`)
	c.do(410, "POST", at+"/questions", instructor, `{"question":"predict-b"}`)
}

// TestMostAnswers tests that a participant cannot fill the journal with answers: their rate is limited, and so is their
// number.
func TestMostAnswers(t *testing.T) {
	now := time.Now()
	c, _ := startWith(t, store.Options{Dir: t.TempDir()}, func(o *Options) { o.Now = func() time.Time { return now } })
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	c.do(200, "POST", at+"/questions", instructor, `{"question":"predict-a"}`)
	answer := func(n int) int {
		status, _ := c.try("PUT", at+"/questions/1/answer", ada, fmt.Sprintf(`{"answer":%d}`, n), nil)
		return status
	}
	statuses := map[int]int{}
	for n := range 2 * noteBurst {
		statuses[answer(n)]++
	}
	if statuses[204] < noteBurst || statuses[429] == 0 || len(statuses) != 2 {
		t.Errorf("at once: %v", statuses)
	}
	// The same answer is not stored again, so it does not count. One after another, the most that are kept is reached.
	c.server.view(code, func(r *room.Room) error {
		for id, given := range r.Questions[0].Answers {
			given.Given = room.MaxAnswers
			r.Questions[0].Answers[id] = given
		}
		return nil
	})
	status := 429
	c.until(func() bool { status = answer(7); return status != 429 })
	if status != 409 {
		t.Errorf("after %d answers: status %d, want 409", room.MaxAnswers, status)
	}
}
