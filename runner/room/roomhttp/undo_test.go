package roomhttp

import (
	"archive/zip"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"onthestack/runner/room"
	"onthestack/runner/store"
)

const solution = `{"exercise":"exercise6","files":{"stream.go":"right"}}`

// TestRemove removes a participant who has handed in, and lets them back in: what they handed in is in the gradebook,
// the documents and the archive all the while, and their key works again afterwards.
func TestRemove(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ken := c.join(code, "Ken")
	id := c.do(202, "POST", at+"/submissions", ken, solution)["id"].(string)
	c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+id, ken, "")["state"] == "graded" })
	c.join(code, "A passer-by")
	ids := map[string]string{}
	for _, p := range c.do(200, "GET", at, instructor, "")["participants"].([]any) {
		ids[p.(map[string]any)["name"].(string)] = p.(map[string]any)["id"].(string)
	}
	for _, id := range ids {
		c.do(200, "PATCH", at, instructor, `{"remove":"`+id+`"}`)
	}
	c.do(403, "GET", at, ken, "")
	csv := c.fetch(at+"/grades.csv", instructor)
	if !strings.Contains(csv, "Ken,"+ids["Ken"]+",exercise6,1,true,") || strings.Contains(csv, "passer") {
		t.Errorf("the gradebook of the removed has\n%s", csv)
	}
	for _, file := range []string{"archive.zip", "grades/junit.zip"} {
		text := c.fetch(at+"/"+file, instructor)
		z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
		if err != nil || len(z.File) != 1 || !strings.HasPrefix(z.File[0].Name, "Ken-") {
			t.Errorf("%s: %v, %+v", file, err, z)
		}
	}
	view := c.do(200, "GET", at, instructor, "")
	if removed := view["removed"].([]any); len(view["participants"].([]any)) != 0 || len(removed) != 2 ||
		removed[1].(map[string]any)["submissions"] != 1.0 {
		t.Errorf("the instructor sees %v", view)
	}
	view = c.do(200, "PATCH", at, instructor, `{"restore":"`+ids["Ken"]+`"}`)
	if view["participants"].([]any)[0].(map[string]any)["name"] != "Ken" {
		t.Errorf("let back in: %v", view)
	}
	row := c.do(200, "GET", at, ken, "")["participants"].([]any)[0].(map[string]any)
	if row["work"].(map[string]any)["exercise6"].(map[string]any)["passed"] != true {
		t.Errorf("Ken sees %v", row)
	}
}

// TestEnd ends a room. What was handed in before may still arrive for some time, and a room that is opened again takes
// everything.
func TestEnd(t *testing.T) {
	var ahead atomic.Int64 // of the server's clock
	c, _ := startWith(t, store.Options{Dir: t.TempDir()}, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	code := c.open()
	at := "/api/rooms/" + code
	ada, bob := c.join(code, "Ada"), c.join(code, "Bob")
	before := c.do(202, "POST", at+"/submissions", ada, solution)["id"]
	var last any // the ID of the last submission
	c.do(200, "PATCH", at, instructor, `{"end":true}`)
	c.do(410, "POST", at+"/join", "", `{"name":"Bob"}`)
	c.do(410, "POST", at+"/hand", ada, `{"exercise":"exercise6","raised":true}`)
	if c.do(200, "GET", at, ada, "")["grace"] == nil {
		t.Error("the page does not say until when the room takes what was handed in before")
	}
	isLate := func(id any) any { return c.do(200, "GET", fmt.Sprint(at, "/submissions/", id), ada, "")["late"] }
	if isLate(before) != false {
		t.Error("what was handed in before the end is marked as late")
	}
	send := func(key string) int {
		status, answer := c.try("POST", at+"/submissions", ada, solution, http.Header{"Idempotency-Key": {key}})
		if status == http.StatusAccepted {
			last = answer["id"]
		}
		return status
	}
	if status := send("in an outbox"); status != http.StatusAccepted || isLate(last) != true {
		t.Errorf("just after the end: status %d, late %v", status, isLate(last))
	}
	c.do(202, "POST", at+"/submissions", bob, solution)
	checkAfterEnd(t, c, at, ada, false, []any{true, nil}) // the one in time counts
	checkAfterEnd(t, c, at, bob, true, []any{true})
	ahead.Store(int64(room.Grace))
	if status := send("too late"); status != http.StatusGone {
		t.Errorf("after the grace: status %d", status)
	}
	if status := send("in an outbox"); status != http.StatusAccepted {
		t.Errorf("the same again: status %d", status)
	}
	if view := c.do(200, "PATCH", at, instructor, `{"reopen":true}`); view["ended"] != false || view["grace"] != nil {
		t.Errorf("open again: %v", view)
	}
	if status := send("too late"); status != http.StatusAccepted || isLate(last) != false {
		t.Errorf("after it was opened again: status %d, late %v", status, isLate(last))
	}
	c.do(200, "POST", at+"/hand", ada, `{"exercise":"exercise6","raised":true}`)
}

// checkAfterEnd checks what a participant's row says about exercise6, once all is graded: whether the submission that
// counts came after the room's end, and which did of all submissions, the newest first.
func checkAfterEnd(t *testing.T, c class, at, key string, counts bool, each []any) {
	t.Helper()
	row := func() map[string]any {
		return c.do(200, "GET", at, key, "")["participants"].([]any)[0].(map[string]any)
	}
	list := fmt.Sprint(at, "/participants/", row()["id"], "/submissions/exercise6")
	var got []any
	c.until(func() bool {
		got = nil
		graded := true
		for _, one := range c.do(200, "GET", list, instructor, "")["submissions"].([]any) {
			s := one.(map[string]any)
			got, graded = append(got, s["afterEnd"]), graded && s["state"] == "graded"
		}
		return graded
	})
	if !slices.Equal(got, each) {
		t.Errorf("the submissions came after the end: %v, want %v", got, each)
	}
	work := row()["work"].(map[string]any)["exercise6"].(map[string]any)
	if got := work["afterEnd"] == true; got != counts {
		t.Errorf("the submission that counts came after the end: %t, want %t", got, counts)
	}
}

// TestUnshare shows a submission to the room and takes it back.
func TestUnshare(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada, bob := c.join(code, "Ada"), c.join(code, "Bob")
	id := c.do(202, "POST", at+"/submissions", ada, solution)["id"].(string)
	c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+id, ada, "")["state"] == "graded" })
	c.do(200, "PATCH", at, instructor, `{"share":"`+id+`"}`)
	c.do(200, "GET", at+"/submissions/"+id, bob, "")
	if shared := c.do(200, "GET", at, bob, "")["shared"].([]any); shared[0].(map[string]any)["passed"] != true {
		t.Errorf("the room sees %v", shared)
	}
	c.do(200, "PATCH", at, instructor, `{"unshare":"`+id+`"}`)
	c.do(404, "GET", at+"/submissions/"+id, bob, "")
	if shared, ok := c.do(200, "GET", at, bob, "")["shared"]; ok {
		t.Errorf("taken back, the room sees %v", shared)
	}
}

// TestNoJoins closes a room to more people, also over a restart, and opens it again. Those who are in it go on.
func TestNoJoins(t *testing.T) {
	dir := t.TempDir()
	c, stop := start(t, dir)
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	c.do(403, "PATCH", at, room.HelperToken(instructor), `{"joins":false}`)
	if v := c.do(200, "PATCH", at, instructor, `{"joins":false}`); v["noJoins"] != true {
		t.Errorf("the room is %v", v)
	}
	for range 2 {
		c.do(409, "POST", at+"/join", "", `{"name":"Bob"}`)
		c.do(201, "POST", at+"/preview", instructor, "")
		c.do(200, "GET", at, ada, "")
		stop()
		c, stop = start(t, dir)
	}
	if v := c.do(200, "PATCH", at, instructor, `{"joins":true}`); v["noJoins"] != nil {
		t.Errorf("open again, the room is %v", v)
	}
	c.join(code, "Bob")
}
