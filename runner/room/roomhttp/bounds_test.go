package roomhttp

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"onthestack/runner/room"
)

// together calls f n times at the same moment.
func together(n int, f func(i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			f(i)
		})
	}
	close(begin)
	all.Wait()
}

// TestSubmitTogether hands in many solutions of one seat at the same moment, each with a key of its own. No more than
// maxQueued are taken, also of a pair, and others are graded.
func TestSubmitTogether(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	pair := c.do(201, "POST", at+"/join", "", `{"name":"Ada","partner":{"name":"Ben"}}`)
	tokens := []string{pair["token"].(string), pair["partner"].(map[string]any)["token"].(string)}
	var taken, later atomic.Int64
	hand := func(i int) {
		body := fmt.Sprintf(`{"exercise":"exercise6","files":{"stream.go":"endless %d"}}`, i)
		status, _ := c.try("POST", at+"/submissions", tokens[i%2], body, http.Header{"Idempotency-Key": {fmt.Sprint(i)}})
		switch status {
		case http.StatusAccepted:
			taken.Add(1)
		case http.StatusTooManyRequests:
			later.Add(1)
		}
	}
	together(40, hand)
	for i := range maxQueued { // in case one was refused beside others that were refused, too
		hand(40 + i)
	}
	if taken.Load() != maxQueued || later.Load() != 40 {
		t.Errorf("%d submissions were taken, want %d; %d were refused for now, want 40", taken.Load(), maxQueued,
			later.Load())
	}
	if len(c.server.reserved) != 0 {
		t.Errorf("still reserved: %v", c.server.reserved)
	}
}

// TestSubmitRate hands in again and again, each time after the last one was graded. After noteBurst, the participant has
// to wait.
func TestSubmitRate(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code + "/submissions"
	ada := c.join(code, "Ada")
	for i := range 4 * noteBurst {
		body := fmt.Sprintf(`{"exercise":"exercise6","files":{"stream.go":"right %d"}}`, i)
		status, answer := c.try("POST", at, ada, body, http.Header{"Idempotency-Key": {body}})
		if status == http.StatusTooManyRequests {
			if answer["error"] != errTooFast.Message {
				t.Errorf("after %d submissions: %v", i, answer)
			}
			return
		}
		id := answer["id"].(string)
		c.until(func() bool { return c.do(200, "GET", at+"/"+id, ada, "")["state"] == "graded" })
	}
	t.Error("nothing bounds how fast a participant hands in")
}

// TestJoinTogether joins a room that has few places left, with many people at the same moment.
func TestJoinTogether(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	const left = 3
	c.fill(code, room.MaxParticipants-left)
	var joined atomic.Int64
	join := func(int) {
		status, _ := c.try("POST", "/api/rooms/"+code+"/join", "", `{"name":"Ada"}`, nil)
		if status == http.StatusCreated {
			joined.Add(1)
		}
	}
	together(30, join)
	for i := range left {
		join(i)
	}
	if joined.Load() != left {
		t.Errorf("%d people joined where %d places were left", joined.Load(), left)
	}
}

// fill has so many participants in a room. They are in the server's state alone, and not in the journal.
func (c class) fill(code string, participants int) {
	c.t.Helper()
	c.server.view(code, func(r *room.Room) error {
		for i := range participants {
			id := fmt.Sprint("FILLED", i)
			r.Participants[id] = &room.Participant{ID: id, Name: id, Joined: time.Now(), Work: map[string]*room.Work{}}
		}
		return nil
	})
}
