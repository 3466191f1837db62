package roomhttp

import (
	"testing"

	"onthestack/runner/room"
)

// TestHistory lists what somebody handed in, with what is late, for the instructor and for helpers and for nobody else.
func TestHistory(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	path := at + "/participants/" + c.seats(code, instructor)["Ada"][0].id + "/submissions/exercise6"
	if list := c.do(200, "GET", path, instructor, "")["submissions"].([]any); len(list) != 0 {
		t.Errorf("before the first submission there are %v", list)
	}
	handIn := func(text string) string {
		id := c.do(202, "POST", at+"/submissions", ada,
			`{"exercise":"exercise6","files":{"stream.go":"`+text+`"}}`)["id"].(string)
		c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+id, ada, "")["state"] == "graded" })
		return id
	}
	wrong := handIn("wrong")
	c.do(200, "PATCH", at, instructor, `{"deadline":"2020-01-01T00:00:00Z"}`)
	right := handIn("right")
	for _, token := range []string{instructor, room.HelperToken(instructor)} {
		list := c.do(200, "GET", path, token, "")["submissions"].([]any)
		if len(list) != 2 {
			t.Fatalf("there are %v", list)
		}
		newest, oldest := list[0].(map[string]any), list[1].(map[string]any)
		if newest["id"] != right || newest["passed"] != true || newest["late"] != true || newest["state"] != "graded" ||
			oldest["id"] != wrong || oldest["passed"] != nil || oldest["late"] != nil {
			t.Errorf("there are %v", list)
		}
	}
	c.do(403, "GET", path, ada, "")
	c.do(401, "GET", path, "", "")
	c.do(404, "GET", at+"/participants/NOBODYNOBODYNOBO/submissions/exercise6", instructor, "")
}
