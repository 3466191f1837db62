package roomhttp

import (
	"fmt"
	"strings"
	"testing"

	"onthestack/runner/room"
)

// TestHelper tests that a helper sees what the instructor sees, lowers a hand, and can do nothing else.
func TestHelper(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	id := c.do(202, "POST", at+"/submissions", ada, solution)["id"].(string)
	view := c.do(200, "GET", at, instructor, "")
	helper := view["helperToken"].(string)
	if !room.ValidToken(helper) || helper == instructor || helper != room.HelperToken(strings.ToLower(instructor)) {
		t.Fatalf("the helpers' token is %q", helper)
	}
	c.do(200, "GET", "/api/rooms", helper, "")
	c.do(200, "GET", at+"/submissions/"+id, helper, "")
	view = c.do(200, "GET", at, helper, "")
	people := view["participants"].([]any)
	if len(people) != 1 || view["helps"] != true || view["helperToken"] != nil {
		t.Errorf("a helper sees %v", view)
	}
	participant := people[0].(map[string]any)["id"]
	c.do(200, "POST", at+"/hand", ada, `{"exercise":"exercise6","raised":true}`)
	c.do(200, "PATCH", at, helper, fmt.Sprintf(`{"lower":%q}`, participant))
	if hand := c.do(200, "GET", at, ada, "")["participants"].([]any)[0].(map[string]any)["hand"]; hand != nil {
		t.Errorf("the hand is up at %v", hand)
	}
	for _, body := range []string{`{"end":true}`, `{"share":"` + id + `"}`, `{"lower":"x","end":true}`, `{}`,
		`{"deadline":"2026-01-01T00:00:00Z"}`, fmt.Sprintf(`{"remove":%q}`, participant)} {
		want := 403
		if body == `{}` {
			want = 400
		}
		c.do(want, "PATCH", at, helper, body)
	}
	c.do(403, "POST", "/api/rooms", helper, `{"title":"Monday","exercises":["exercise6"]}`)
	c.do(403, "DELETE", at, helper, "")
	c.do(403, "GET", at+"/grades.json", helper, "")
	c.do(403, "POST", at+"/hand", helper, `{"exercise":"exercise6","raised":true}`)
	c.do(403, "PATCH", at, ada, `{"lower":"x"}`)
}

// TestHelperLowers lowers a hand again and again. That is stored once.
func TestHelperLowers(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	helper := room.HelperToken(instructor)
	ada := c.join(code, "Ada")
	c.do(200, "POST", at+"/hand", ada, `{"exercise":"exercise6","raised":true}`)
	lower := fmt.Sprintf(`{"lower":%q}`, c.seats(code, instructor)["Ada"][0].id)
	before := c.sequence(code)
	for range 3 {
		c.do(200, "PATCH", at, helper, lower)
	}
	if stored := c.sequence(code) - before; stored != 1 {
		t.Errorf("lowering a hand three times is stored as %d events", stored)
	}
}

// TestHelperStreams has helpers open as many streams as they may. The instructor can still open one.
func TestHelperStreams(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	helper := room.HelperToken(instructor)
	for range maxInstructorStreams {
		c.events(code, helper, "")
	}
	c.do(429, "GET", "/api/rooms/"+code+"/events", helper, "")
	if _, event, _, ok := c.events(code, instructor, "")(); !ok || event != "room" {
		t.Errorf("the instructor's stream begins with %q, %t", event, ok)
	}
}
