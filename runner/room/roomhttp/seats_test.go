package roomhttp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"onthestack/runner/room"
)

// person is a person at a seat, as a page has it.
type person struct{ id, name, identifier string }

// seats returns the rows that a caller sees, by name, with the persons of each.
func (c class) seats(code, token string) map[string][]person {
	c.t.Helper()
	all := map[string][]person{}
	for _, row := range c.do(200, "GET", "/api/rooms/"+code, token, "")["participants"].([]any) {
		row := row.(map[string]any)
		var people []person
		for _, p := range row["people"].([]any) {
			p := p.(map[string]any)
			identifier, _ := p["identifier"].(string)
			people = append(people, person{p["id"].(string), p["name"].(string), identifier})
		}
		all[row["name"].(string)] = people
	}
	return all
}

// handIn hands a solution in and waits until it is graded.
func (c class) handIn(code, token, exercise string) (id string) {
	c.t.Helper()
	at := "/api/rooms/" + code + "/submissions"
	id = c.do(202, "POST", at, token, `{"exercise":"`+exercise+`","files":{"stream.go":"right"}}`)["id"].(string)
	c.until(func() bool { return c.do(200, "GET", at+"/"+id, token, "")["state"] == "graded" })
	return id
}

// TestIdentifier joins with an identifier. The instructor sees it, in the room and in the gradebook, and nobody else.
func TestIdentifier(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.do(201, "POST", at+"/join", "", `{"name":"Ada","identifier":" ada@\u202eexample.edu "}`)["token"].(string)
	helper := room.HelperToken(instructor)
	if got := c.seats(code, instructor)["Ada"][0].identifier; got != "ada@example.edu" {
		t.Errorf("the instructor sees %q", got)
	}
	for _, token := range []string{helper, ada} {
		if got := c.seats(code, token)["Ada"][0].identifier; got != "" {
			t.Errorf("somebody else sees %q", got)
		}
	}
	for file, want := range map[string]string{"grades.csv": ",false,ada@example.edu\n",
		"grades-table.csv": "\nAda,ada@example.edu,", "grades-moodle.csv": "\nAda,,ada@example.edu,-",
		"grades-canvas.csv": "\nAda,,ada@example.edu,ada@example.edu,,"} {
		if text := c.fetch(at+"/"+file, instructor); !strings.Contains(text, want) || !strings.HasPrefix(text, "\ufeff") {
			t.Errorf("%s has\n%s", file, text)
		}
		c.do(403, "GET", at+"/"+file, helper, "")
		c.do(403, "GET", at+"/"+file, ada, "")
	}
	c.do(201, "POST", at+"/join", "", `{"name":"Eve","identifier":"ADA@example.edu"}`)
	for token, want := range map[string]int{instructor: 2, helper: 0, ada: 0} {
		if text := c.fetch(at, token); strings.Count(text, `"ambiguous":true`) != want {
			t.Errorf("somebody else has the same identifier, which is told in %s", text)
		}
	}
	for _, identifier := range []string{strings.Repeat("a", room.MaxIdentifier+1), `\u200b`} {
		c.do(400, "POST", at+"/join", "", `{"name":"Ben","identifier":"`+identifier+`"}`)
	}
}

// TestRename renames a participant, whose own page shows the new name.
func TestRename(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Aad")
	id := c.seats(code, instructor)["Aad"][0].id
	rename := func(name, identifier string) string {
		return fmt.Sprintf(`{"rename":{"participant":%q,"name":%q,"identifier":%q}}`, id, name, identifier)
	}
	c.do(200, "PATCH", at, instructor, rename("  Ada ", "4711"))
	if got := c.seats(code, instructor)["Ada"]; len(got) != 1 || got[0] != (person{id, "Ada", "4711"}) {
		t.Errorf("the instructor sees %v", got)
	}
	if got := c.seats(code, ada)["Ada"]; len(got) != 1 {
		t.Errorf("Ada sees %v", got)
	}
	c.do(400, "PATCH", at, instructor, rename(" ", ""))
	c.do(400, "PATCH", at, instructor, rename("Ada", strings.Repeat("1", room.MaxIdentifier+1)))
	c.do(400, "PATCH", at, instructor, `{"rename":{"participant":"x","name":"Ada"}}`)
	c.do(400, "PATCH", at, instructor, `{"rename":{"participant":"","name":"Ada"}}`)
	c.do(403, "PATCH", at, room.HelperToken(instructor), rename("Eve", ""))
	c.do(403, "PATCH", at, ada, rename("Eve", ""))
}

// TestAlike joins under a name that looks like another one's, and renames somebody to one. Each has a number then.
func TestAlike(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	for _, name := range []string{"Ada", `Ada\u200d`, "Eve"} {
		c.do(201, "POST", "/api/rooms/"+code+"/join", "", `{"name":"`+name+`"}`)
	}
	id := c.seats(code, instructor)["Eve"][0].id
	c.do(200, "PATCH", "/api/rooms/"+code, instructor,
		fmt.Sprintf(`{"rename":{"participant":%q,"name":"Ada\ufe0f"}}`, id))
	got := c.seats(code, instructor)
	for _, name := range []string{"Ada", "Ada\u200d (2)", "Ada\ufe0f (3)"} {
		if got[name] == nil {
			t.Errorf("nobody is called %q: %v", name, got)
		}
	}
}

// TestNewKey gives a participant another key. The old one opens nothing, and a page that it has open learns that.
func TestNewKey(t *testing.T) {
	dir := t.TempDir()
	c, stop := start(t, dir)
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	c.handIn(code, ada, "exercise6")
	next := c.events(code, ada, "")
	next()
	id := c.seats(code, instructor)["Ada"][0].id
	key := at + "/participants/" + id + "/key"
	c.do(403, "POST", key, ada, "")
	c.do(403, "POST", key, room.HelperToken(instructor), "")
	c.do(404, "POST", at+"/participants/x/key", instructor, "")
	answer := c.do(201, "POST", key, instructor, "")
	token := answer["token"].(string)
	if answer["participant"] != id || !room.ValidToken(token) {
		t.Fatalf("the answer is %v", answer)
	}
	for range 2 { // before and after a restart
		c.do(403, "GET", at, ada, "")
		row := c.do(200, "GET", at, token, "")["participants"].([]any)[0].(map[string]any)
		if row["id"] != id || row["work"].(map[string]any)["exercise6"].(map[string]any)["passed"] != true {
			t.Errorf("the new key opens %v", row)
		}
		if _, event, _, _ := next(); event != "gone" && event != "" {
			t.Errorf("the page with the old key gets %q", event)
		}
		stop()
		c, stop = start(t, dir)
	}
}

// TestMerge merges the row of somebody who joined again. Both keys open it, and what waits in a browser is handed in
// once.
func TestMerge(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	old, fresh := c.join(code, "Ada"), c.join(code, "Ada")
	first := c.handIn(code, old, "exercise6")
	ids := c.seats(code, instructor)
	merge := func(from, into string) string {
		return fmt.Sprintf(`{"merge":{"participant":%q,"into":%q}}`, from, into)
	}
	from, into := ids["Ada"][0].id, ids["Ada (2)"][0].id
	c.do(403, "PATCH", at, room.HelperToken(instructor), merge(from, into))
	c.do(400, "PATCH", at, instructor, merge(from, from))
	c.do(400, "PATCH", at, instructor, merge(from, "x"))
	c.do(400, "PATCH", at, instructor, merge("x", into))
	c.do(200, "PATCH", at, instructor, merge(from, into))
	c.do(400, "PATCH", at, instructor, merge(into, from))
	if got := c.seats(code, instructor); len(got) != 1 || got["Ada (2)"] == nil {
		t.Errorf("the instructor sees %v", got)
	}
	for _, token := range []string{old, fresh} {
		if got := c.seats(code, token)["Ada (2)"]; len(got) != 1 || got[0].id != into {
			t.Errorf("a key opens %v", got)
		}
		c.do(200, "GET", at+"/submissions/"+first, token, "")
	}
	if again := c.handIn(code, old, "exercise6"); again != first {
		t.Errorf("sent again it is %s, first %s", again, first)
	}
	if csv := c.fetch(at+"/grades.csv", instructor); strings.Count(csv, "\n") != 2 ||
		!strings.Contains(csv, "Ada (2),"+into+",exercise6,1,true,false,false,1,") {
		t.Errorf("the gradebook has\n%s", csv)
	}
}

// TestMergeIntoPair merges the row that somebody had alone into the seat of a pair: into the row of the first, which the
// grid shows, and not into the second's, which it does not, until the two part.
func TestMergeIntoPair(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	for range 2 {
		c.handIn(code, c.join(code, "Alone"), "exercise6")
	}
	ben := c.do(201, "POST", at+"/join", "", `{"name":"Ada","partner":{"name":"Ben"}}`)["partner"].(map[string]any)["token"]
	seats := c.seats(code, instructor)
	merge := func(want int, from, into person) (answer map[string]any) {
		t.Helper()
		return c.do(want, "PATCH", at, instructor, fmt.Sprintf(`{"merge":{"participant":%q,"into":%q}}`, from.id, into.id))
	}
	pair := seats["Ada and Ben"]
	why := merge(400, seats["Alone"][0], pair[1])["error"].(string)
	if want := "Ben sits with Ada, whose row would not show what Alone did: merge into Ada's row, or"; !strings.HasPrefix(
		why, want) {
		t.Errorf("it is refused with %q", why)
	}
	merge(200, seats["Alone"][0], pair[0])
	c.do(200, "POST", at+"/part", ben.(string), "")
	merge(200, seats["Alone (2)"][0], pair[1])
	if csv := c.fetch(at+"/grades.csv", instructor); strings.Count(csv, ",exercise6,1,true,") != 2 {
		t.Errorf("the gradebook has\n%s", csv)
	}
}

// TestPair joins two persons at one seat, who part later.
func TestPair(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	c.do(400, "POST", at+"/join", "", `{"name":"Ada","partner":{"name":""}}`)
	answer := c.do(201, "POST", at+"/join", "", `{"name":"Ada","partner":{"name":"Ben","identifier":"4711"}}`)
	ada, ben := answer["token"].(string), answer["partner"].(map[string]any)["token"].(string)
	if got := c.seats(code, instructor)["Ada and Ben"]; len(got) != 2 || got[1].identifier != "4711" {
		t.Errorf("the instructor sees %v", got)
	}
	id := c.handIn(code, ada, "exercise6")
	c.do(200, "GET", at+"/submissions/"+id, ben, "")
	c.do(200, "POST", at+"/hand", ben, `{"exercise":"exercise6","raised":true}`)
	if row := c.do(200, "GET", at, ada, "")["participants"].([]any)[0].(map[string]any); row["hand"] != "exercise6" ||
		row["name"] != "Ada and Ben" {
		t.Errorf("Ada sees %v", row)
	}
	table := c.fetch(at+"/grades-table.csv", instructor)
	if !strings.Contains(table, "\nAda,,") || !strings.Contains(table, "\nBen,4711,") ||
		strings.Count(table, ",1,0,1,false,1\n") != 2 {
		t.Errorf("the gradebook has\n%s", table)
	}
	c.do(200, "POST", at+"/part", ben, "")
	c.do(409, "POST", at+"/part", ada, "")
	c.do(403, "POST", at+"/part", instructor, "")
	if got := c.seats(code, instructor); len(got) != 2 || got["Ben"] == nil {
		t.Errorf("parted, the instructor sees %v", got)
	}
	row := c.do(200, "GET", at, ben, "")["participants"].([]any)[0].(map[string]any)
	if row["work"].(map[string]any)["exercise6"].(map[string]any)["best"] != id {
		t.Errorf("Ben took with him %v", row)
	}
}

// TestPreview tries a room with a seat that is in no grid, list, figure, gradebook or archive.
func TestPreview(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	c.do(403, "POST", at+"/preview", room.HelperToken(instructor), "")
	token := c.do(201, "POST", at+"/preview", instructor, "")["token"].(string)
	view := c.do(200, "GET", at, token, "")
	if view["preview"] != true || len(view["participants"].([]any)) != 1 {
		t.Errorf("the preview sees %v", view)
	}
	c.handIn(code, token, "exercise6")
	if got := c.seats(code, instructor); len(got) != 0 {
		t.Errorf("the grid has %v", got)
	}
	list := c.do(200, "GET", "/api/rooms", instructor, "")["rooms"].([]any)
	if got := list[0].(map[string]any)["participants"]; got != 0.0 {
		t.Errorf("the list counts %v", got)
	}
	if got := c.server.Stats().Participants; got != 0 {
		t.Errorf("the figures count %d", got)
	}
	if csv := c.fetch(at+"/grades-table.csv", instructor); strings.Count(csv, "\n") != 1 {
		t.Errorf("the gradebook has\n%s", csv)
	}
	if got := c.documents(code, "junit"); len(got) != 0 {
		t.Errorf("the documents are %v", got)
	}
	c.do(200, "PATCH", at, instructor, `{"end":true}`)
	c.do(410, "POST", at+"/preview", instructor, "")
}

// TestPreviewShared shares what was handed in at a preview seat, and opens previews until that seat is gone. Everybody
// can still see the room.
func TestPreviewShared(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	preview := c.do(201, "POST", at+"/preview", instructor, "")["token"].(string)
	id := c.handIn(code, preview, "exercise6")
	c.do(200, "PATCH", at, instructor, `{"share":"`+id+`"}`)
	c.do(200, "GET", at+"/submissions/"+id, ada, "")
	for range room.MaxPreviews {
		c.do(201, "POST", at+"/preview", instructor, "")
	}
	for _, token := range []string{instructor, ada} {
		if v := c.do(200, "GET", at, token, ""); v["shared"] != nil {
			t.Errorf("shared: %v", v["shared"])
		}
	}
	c.do(404, "GET", at+"/submissions/"+id, ada, "")
	c.do(403, "GET", at, preview, "")
}

// TestPreviewRate opens previews without end, each of which is stored.
func TestPreviewRate(t *testing.T) {
	c, _ := start(t, t.TempDir())
	at := "/api/rooms/" + c.open() + "/preview"
	for range 4 * noteBurst {
		if status, _ := c.try("POST", at, instructor, "", nil); status == http.StatusTooManyRequests {
			return
		}
	}
	t.Error("nothing bounds how many previews are opened")
}

// TestAssign changes the exercises and the title of an open room.
func TestAssign(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	c.handIn(code, ada, "exercise6")
	view := c.do(200, "PATCH", at, instructor, `{"exercises":["exercise7"]}`)
	if got := fmt.Sprint(view["exercises"]); got != "[exercise7]" {
		t.Errorf("the exercises are %v", got)
	}
	status, _ := c.try("POST", at+"/submissions", ada, solution, http.Header{"Idempotency-Key": {"new"}})
	if status != http.StatusBadRequest {
		t.Errorf("an exercise that was removed: status %d", status)
	}
	if z := c.fetch(at+"/archive.zip", instructor); !strings.Contains(z, "exercise6/") {
		t.Error("the archive has lost what was handed in")
	}
	view = c.do(200, "PATCH", at, instructor, `{"exercises":["exercise7","exercise6"]}`)
	row := view["participants"].([]any)[0].(map[string]any)
	if row["work"].(map[string]any)["exercise6"].(map[string]any)["passed"] != true {
		t.Errorf("the exercise is back, and the row is %v", row)
	}
	if got := c.do(200, "PATCH", at, instructor, `{"title":" Tuesday "}`)["title"]; got != "Tuesday" {
		t.Errorf("the title is %v", got)
	}
	for _, body := range []string{`{"exercises":[]}`, `{"exercises":["x"]}`, `{"exercises":["exercise6","exercise6"]}`,
		`{"title":"\u200b"}`, `{"title":"a","exercises":["exercise6"]}`} {
		c.do(400, "PATCH", at, instructor, body)
	}
	c.do(403, "PATCH", at, room.HelperToken(instructor), `{"title":"a"}`)
	c.do(403, "PATCH", at, ada, `{"exercises":["exercise6"]}`)
}
