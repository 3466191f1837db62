package roomhttp

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"onthestack/runner/store"
)

// TestLostGrade damages the last event of the rooms, that a submission was graded, and goes on with what is left, as the
// error says how to. The submission is graded again by itself: from its verdict, or anew if that is lost, too.
func TestLostGrade(t *testing.T) {
	for name, tallies := range map[string][]string{"the event": {"stored"}, "the verdict, too": {"stored", "stored-verdicts"}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c, stop := start(t, dir)
			code := c.open()
			at := "/api/rooms/" + code
			ada := c.join(code, "Ada")
			id := c.do(202, "POST", at+"/submissions", ada, solution)["id"].(string)
			submission := func() map[string]any { return c.do(200, "GET", at+"/submissions/"+id, ada, "") }
			c.until(func() bool { return submission()["state"] == "graded" })
			stop()
			for i, stream := range []string{"rooms", "KV_verdicts"}[:len(tallies)] {
				name := filepath.Join(dir, "jetstream", "$G", "streams", stream, "msgs", "1.blk")
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				text[len(text)-20] ^= 0x55
				if err := os.WriteFile(name, text, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := opens(t, dir); err == nil {
					t.Fatalf("%s is damaged, and the store opens", stream)
				}
				if err := os.Remove(filepath.Join(dir, tallies[i])); err != nil {
					t.Fatal(err)
				}
			}
			c, _ = start(t, dir)
			c.until(func() bool { return submission()["state"] == "graded" })
			if s := submission(); s["verdict"].(map[string]any)["pass"] != true {
				t.Errorf("%v", s)
			}
		})
	}
}

// TestLostRoom damages the first event of the rooms, that the room was opened, and continues with what is left, as the error
// says how to. The room is there, with the grades.
func TestLostRoom(t *testing.T) {
	dir := t.TempDir()
	c, stop := start(t, dir)
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	c.handIn(code, ada, "exercise6")
	stop()
	name := filepath.Join(dir, "jetstream", "$G", "streams", "rooms", "msgs", "1.blk")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	text[bytes.Index(text, []byte(`"Monday"`))+1] ^= 0x55
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := opens(t, dir); err == nil {
		t.Fatal("an event is damaged, and the store opens")
	}
	if err := os.Remove(filepath.Join(dir, "stored")); err != nil {
		t.Fatal(err)
	}
	c, _ = start(t, dir)
	if v := c.do(200, "GET", at, instructor, ""); v["title"] != code || len(v["exercises"].([]any)) != 1 {
		t.Errorf("the room is %v", v)
	}
	if csv := c.fetch(at+"/grades.csv", instructor); !strings.Contains(csv, ",exercise6,1,true,") {
		t.Errorf("the gradebook has\n%s", csv)
	}
	c.do(200, "GET", at, ada, "")
	c.do(204, "DELETE", at, instructor, "")
	c.do(404, "GET", at, instructor, "")
}

// opens opens the journal in a folder, and closes it.
func opens(t *testing.T, dir string) error {
	t.Helper()
	s, err := store.Open(store.Options{Dir: dir})
	if err == nil {
		_, err = s.Journal(t.Context())
		s.Close()
	}
	return err
}
