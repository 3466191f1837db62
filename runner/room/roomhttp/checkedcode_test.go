package roomhttp

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/runner/room"
)

// openSeeing opens a room whose instructor sees the code of checks.
func (c class) openSeeing() (code string) {
	c.t.Helper()
	body := `{"title":"Tuesday","exercises":["exercise6","exercise7"],"seesCode":true}`
	return c.do(201, "POST", "/api/rooms", instructor, body)["room"].(string)
}

// checked reports a check of exercise6 with its code, by which the check has its ID.
func checked(text string) string {
	return fmt.Sprintf(`{"exercise":"exercise6","check":"%x","stage":"tests","files":{"stream.go":%q}}`,
		sha256.Sum256([]byte(text)), text)
}

// codeOf returns where a participant's code is, and its ID as the instructor's page has it.
func (c class) codeOf(room, name string) (path, participant, id string) {
	c.t.Helper()
	for _, p := range c.do(200, "GET", "/api/rooms/"+room, instructor, "")["participants"].([]any) {
		p := p.(map[string]any)
		if p["name"] == name {
			participant = p["id"].(string)
			work, _ := p["work"].(map[string]any)["exercise6"].(map[string]any) // nil before the first check
			id, _ = work["code"].(string)
		}
	}
	return "/api/rooms/" + room + "/participants/" + participant + "/code/exercise6", participant, id
}

// TestCheckedCode tests that the instructor and the helpers see the code of the last check, and nobody else does.
func TestCheckedCode(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.openSeeing()
	at := "/api/rooms/" + code
	ada, bob := c.join(code, "Ada"), c.join(code, "Bob")
	if v := c.do(200, "GET", at, ada, ""); v["seesCode"] != true {
		t.Errorf("a participant is not told: %v", v)
	}
	c.do(204, "POST", at+"/progress", ada, checked("package first"))
	path, _, first := c.codeOf(code, "Ada")
	c.do(204, "POST", at+"/progress", ada, checked("package second"))
	path, participant, id := c.codeOf(code, "Ada")
	if id == "" || id == first {
		t.Errorf("the code of the second check has the ID %q, the first %q", id, first)
	}
	// A check without code, as an older page sends it, leaves the code as it is.
	c.do(204, "POST", at+"/progress", ada, `{"exercise":"exercise6","stage":"benchmark"}`)
	helper := room.HelperToken(instructor)
	for _, token := range []string{instructor, helper} {
		v := c.do(200, "GET", path, token, "")
		if v["code"] != id || v["stage"] != "tests" || v["files"].(map[string]any)["stream.go"] != "package second" {
			t.Errorf("the code is %v", v)
		}
	}
	eve := c.join(c.openSeeing(), "Eve")
	nobody := at + "/participants/NOBODYNOBODYNOBO/code/exercise6"
	for _, refused := range []struct {
		status      int
		path, token string
	}{
		{403, path, ada}, {403, path, bob}, {403, path, eve}, {401, path, ""}, {404, nobody, instructor},
		{404, at + "/participants/*/code/exercise6", instructor},
		{404, at + "/participants/" + participant + "/code/exercise7", instructor},
		{404, at + "/participants/" + participant + "/code/%3E", instructor},
		{404, at + "/projected", instructor}, {403, at + "/projected", ada},
	} {
		c.do(refused.status, "GET", refused.path, refused.token, "")
	}
	for _, token := range []string{ada, bob} {
		if text := c.fetch(at, token); strings.Contains(text, "package") {
			t.Errorf("a participant sees %s", text)
		}
	}
	c.do(200, "PATCH", at, instructor, `{"remove":"`+participant+`"}`)
	c.do(404, "GET", path, instructor, "")
}

// TestCodeRefused tests what no room takes: code where the instructor sees none, files that are no solution, and more
// than a submission may have.
func TestCodeRefused(t *testing.T) {
	c, _ := start(t, t.TempDir())
	closed, seeing := c.open(), c.openSeeing()
	if v := c.do(200, "GET", "/api/rooms/"+closed, instructor, ""); v["seesCode"] != nil {
		t.Errorf("a room is opened so unasked: %v", v)
	}
	ada, bob := c.join(closed, "Ada"), c.join(seeing, "Bob")
	c.do(409, "POST", "/api/rooms/"+closed+"/progress", ada, checked("package a"))
	c.do(204, "POST", "/api/rooms/"+closed+"/progress", ada, `{"exercise":"exercise6","stage":"tests"}`)
	if path, _, id := c.codeOf(closed, "Ada"); id != "" {
		t.Error("a room that does not see code has some")
	} else {
		c.do(404, "GET", path, instructor, "")
	}
	at := "/api/rooms/" + seeing
	c.do(400, "POST", at+"/progress", bob, `{"exercise":"exercise6","stage":"tests","files":{"b.go":"package b"}}`)
	c.do(413, "POST", at+"/progress", bob, checked(strings.Repeat("x", maxSubmission)))
	c.do(200, "PATCH", at, instructor, `{"end":true}`)
	c.do(410, "POST", at+"/progress", bob, checked("package b"))
}

// TestProject projects the code of a check: a copy without a name, which later checks do not change, until it is put
// away, its participant is removed or the room ends.
func TestProject(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.openSeeing()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	c.do(204, "POST", at+"/progress", ada, checked("package first"))
	_, participant, first := c.codeOf(code, "Ada")
	want := func(id string) string {
		return fmt.Sprintf(`{"participant":%q,"exercise":"exercise6","code":%q}`, participant, id)
	}
	helper := room.HelperToken(instructor)
	c.do(403, "PUT", at+"/projected", helper, want(first))
	c.do(403, "PUT", at+"/projected", ada, want(first))
	c.do(404, "PUT", at+"/projected", instructor, `{"participant":"x","exercise":"exercise6","code":"x"}`)
	v := c.do(200, "PUT", at+"/projected", instructor, want(first))
	if p := v["projected"].(map[string]any); p["code"] != first || p["exercise"] != "exercise6" {
		t.Errorf("the instructor's page has %v", p)
	}
	c.do(204, "POST", at+"/progress", ada, checked("package second"))
	c.do(409, "PUT", at+"/projected", instructor, want(first)) // the instructor has not read the second
	for _, token := range []string{instructor, helper} {
		if text := c.fetch(at+"/projected", token); !strings.Contains(text, "package first") ||
			!strings.Contains(text, `"stage":"tests"`) || strings.Contains(text, "Ada") ||
			strings.Contains(text, participant) {
			t.Errorf("projected: %s", text)
		}
	}
	if text := c.fetch(at, ada); strings.Contains(text, "projected") {
		t.Errorf("a participant sees %s", text)
	}
	c.do(403, "DELETE", at+"/projected", helper, "")
	gone := func(why string, v map[string]any) {
		t.Helper()
		if v["projected"] != nil {
			t.Errorf("%s: %v is projected", why, v["projected"])
		}
		c.do(404, "GET", at+"/projected", instructor, "")
	}
	gone("put away", c.do(200, "DELETE", at+"/projected", instructor, ""))
	_, _, second := c.codeOf(code, "Ada")
	c.do(200, "PUT", at+"/projected", instructor, want(second))
	gone("removed", c.do(200, "PATCH", at, instructor, `{"remove":"`+participant+`"}`))
	c.do(200, "PATCH", at, instructor, `{"restore":"`+participant+`"}`)
	c.do(200, "PUT", at+"/projected", instructor, want(second))
	gone("ended", c.do(200, "PATCH", at, instructor, `{"end":true}`))
	c.do(410, "PUT", at+"/projected", instructor, want(second))
	gone("reopened", c.do(200, "PATCH", at, instructor, `{"reopen":true}`))
}

// TestCodeDeleted deletes a room while its participant checks: once the server has stopped, no file has their name or
// any code of theirs, whichever came first.
func TestCodeDeleted(t *testing.T) {
	dir := t.TempDir()
	c, stop := start(t, dir)
	code, other := c.openSeeing(), c.openSeeing()
	at := "/api/rooms/" + code
	ada, bea := c.join(code, "Ada Alpha"), c.join(other, "Bea")
	for i := range 3 {
		c.do(204, "POST", at+"/progress", ada, checked(fmt.Sprint("package alpha", i)))
	}
	c.do(204, "POST", "/api/rooms/"+other+"/progress", bea, checked("package beta"))
	_, participant, id := c.codeOf(code, "Ada Alpha")
	c.do(200, "PUT", at+"/projected", instructor,
		fmt.Sprintf(`{"participant":%q,"exercise":"exercise6","code":%q}`, participant, id))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 20 {
			status, _ := c.try("POST", at+"/progress", ada, checked(fmt.Sprint("package alpha more", i)), http.Header{})
			if status != http.StatusNoContent {
				return
			}
		}
	}()
	c.do(204, "DELETE", at, instructor, "")
	<-done
	c.do(404, "GET", at+"/projected", instructor, "")
	stop()
	for _, text := range []string{code, "Ada Alpha", "package alpha"} {
		if names := filesWith(t, dir, text); len(names) > 0 {
			t.Errorf("%q is in %s", text, strings.Join(names, ", "))
		}
	}
	c, _ = start(t, dir)
	path, _, _ := c.codeOf(other, "Bea")
	if v := c.do(200, "GET", path, instructor, ""); v["files"].(map[string]any)["stream.go"] != "package beta" {
		t.Errorf("the other room has %v", v)
	}
}

// filesWith returns the files of a folder that contain a text.
func filesWith(t *testing.T, dir, text string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(name)
		if strings.Contains(string(content), text) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestMessage sends a message to all, with and without a countdown.
func TestMessage(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	for _, bad := range []string{`{"text":""}`, `{"text":" \u200b"}`, `{"text":"x","minutes":-1}`,
		`{"text":"x","minutes":121}`, `{"text":"` + strings.Repeat("é", room.MaxText+1) + `"}`} {
		c.do(400, "PUT", at+"/message", instructor, bad)
	}
	for _, token := range []string{ada, room.HelperToken(instructor)} {
		c.do(403, "PUT", at+"/message", token, `{"text":"hello"}`)
		c.do(403, "DELETE", at+"/message", token, "")
	}
	sent := func() (m messageView) {
		t.Helper()
		var v roomView
		if err := json.Unmarshal([]byte(c.fetch(at, ada)), &v); err != nil {
			t.Fatal(err)
		}
		return v.Message
	}
	c.do(200, "PUT", at+"/message", instructor, `{"text":"Five minutes\nfor tea","minutes":5}`)
	first := sent()
	if first.Text != "Five minutes for tea" || first.Until.Sub(first.Sent).Round(1e9).Minutes() != 5 {
		t.Errorf("the message is %+v", first)
	}
	c.do(200, "PUT", at+"/message", instructor, `{"text":"Open exercise 7"}`)
	if second := sent(); second.Text != "Open exercise 7" || !second.Until.IsZero() || !second.Sent.After(first.Sent) {
		t.Errorf("the second message is %+v", second)
	}
	c.do(200, "DELETE", at+"/message", instructor, "")
	if m := sent(); m != (messageView{}) {
		t.Errorf("removed, the message is %+v", m)
	}
	refused := false
	for range 2 * noteBurst {
		status, _ := c.try("PUT", at+"/message", instructor, `{"text":"again"}`, nil)
		refused = refused || status == http.StatusTooManyRequests
	}
	if !refused {
		t.Error("nothing bounds how many messages are sent")
	}
	c.do(204, "POST", at+"/progress", ada, `{"exercise":"exercise6","stage":"tests"}`)
}

// TestCodeOfSeats tests that a row has the code of its last check, whoever of a pair made it, and also after rows were
// merged.
func TestCodeOfSeats(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.openSeeing()
	at := "/api/rooms/" + code
	pair := c.do(201, "POST", at+"/join", "", `{"name":"Ada","partner":{"name":"Ben"}}`)
	ben := pair["partner"].(map[string]any)["token"].(string)
	shown := func(name, want string) {
		t.Helper()
		path, _, id := c.codeOf(code, name)
		if v := c.do(200, "GET", path, instructor, ""); v["code"] != id ||
			v["files"].(map[string]any)["stream.go"] != want {
			t.Errorf("the code of %s is %v, want %q", name, v, want)
		}
	}
	c.do(204, "POST", at+"/progress", pair["token"].(string), checked("package ada"))
	shown("Ada and Ben", "package ada")
	c.do(204, "POST", at+"/progress", ben, checked("package ben"))
	shown("Ada and Ben", "package ben")

	c.join(code, "Chi")
	again := c.join(code, "Chi at home")
	c.do(204, "POST", at+"/progress", again, checked("package home"))
	_, from, _ := c.codeOf(code, "Chi at home")
	_, into, _ := c.codeOf(code, "Chi")
	c.do(200, "PATCH", at, instructor, fmt.Sprintf(`{"merge":{"participant":%q,"into":%q}}`, from, into))
	shown("Chi", "package home")
}

// TestCodeOfParted has one of a pair check, part, and check again. The other one's row never has the new code.
func TestCodeOfParted(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.openSeeing()
	at := "/api/rooms/" + code
	pair := c.do(201, "POST", at+"/join", "", `{"name":"Ada","partner":{"name":"Ben"}}`)
	ada, ben := pair["token"].(string), pair["partner"].(map[string]any)["token"].(string)
	c.do(204, "POST", at+"/progress", ben, checked("package both"))
	c.do(200, "POST", at+"/part", ben, "")
	path, participant, id := c.codeOf(code, "Ada")
	if v := c.do(200, "GET", path, instructor, ""); v["files"].(map[string]any)["stream.go"] != "package both" {
		t.Errorf("parted, the code of Ada is %v", v)
	}
	c.do(204, "POST", at+"/progress", ben, checked("package ben"))
	c.do(409, "GET", path, instructor, "")
	_, _, bens := c.codeOf(code, "Ben")
	for _, other := range []string{id, bens} {
		c.do(409, "PUT", at+"/projected", instructor,
			fmt.Sprintf(`{"participant":%q,"exercise":"exercise6","code":%q}`, participant, other))
	}
	c.do(204, "POST", at+"/progress", ada, checked("package ada"))
	if v := c.do(200, "GET", path, instructor, ""); v["files"].(map[string]any)["stream.go"] != "package ada" {
		t.Errorf("checked again, the code of Ada is %v", v)
	}
}
