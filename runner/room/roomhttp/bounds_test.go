package roomhttp

import (
	"fmt"
	"net/http"
	"strings"
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

// sequence returns the number of the last event of a room.
func (c class) sequence(code string) (sequence uint64) {
	c.t.Helper()
	if err := c.server.view(code, func(r *room.Room) error { sequence = r.Sequence; return nil }); err != nil {
		c.t.Fatal(err)
	}
	return sequence
}

// TestReportAgain reports a check again and again. It is stored once, and reports are bounded whatever IDs they have.
func TestReportAgain(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code + "/progress"
	ada := c.join(code, "Ada")
	report := func(want int, check string) {
		t.Helper()
		c.do(want, "POST", at, ada, fmt.Sprintf(`{"exercise":"exercise6","stage":"tests","check":%q}`, check))
	}
	report(204, "c1")
	before := c.sequence(code)
	report(204, "c1")
	report(204, "c1")
	if after := c.sequence(code); after != before {
		t.Errorf("a report that was sent again is event %d, after %d", after, before)
	}
	report(204, "c2")
	c.server.view(code, func(r *room.Room) error {
		for _, p := range r.Participants {
			if w := p.Work["exercise6"]; w.Reports != 2 {
				t.Errorf("%d reports are counted", w.Reports)
			}
			p.Work["exercise6"].Reports = room.MaxAttempts
		}
		return nil
	})
	report(409, "c3")
}

// TestHands raises a hand more often than a room keeps. A hand that is up can still be lowered.
func TestHands(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code + "/hand"
	ada := c.join(code, "Ada")
	c.do(200, "POST", at, ada, `{"exercise":"exercise6","raised":true}`)
	c.server.view(code, func(r *room.Room) error {
		for _, p := range r.Participants {
			if p.Hands != 1 {
				t.Errorf("%d raised hands are counted", p.Hands)
			}
			p.Hands = room.MaxHands
		}
		return nil
	})
	c.do(200, "POST", at, ada, `{"exercise":"exercise6","raised":true}`) // it is up
	c.do(200, "POST", at, ada, `{"exercise":"exercise6","raised":false}`)
	c.do(409, "POST", at, ada, `{"exercise":"exercise6","raised":true}`)
}

// TestBytes hands in until a room keeps no more of a participant: submissions and verdicts count, and so do reports of
// checks and their code. Others are not affected, and the count is the same after a restart.
func TestBytes(t *testing.T) {
	dir := t.TempDir()
	c, stop := start(t, dir)
	code := c.openSeeing()
	at := "/api/rooms/" + code
	ada, bob := c.join(code, "Ada"), c.join(code, "Bob")
	stored := func() (n int) {
		c.server.view(code, func(r *room.Room) error {
			for _, p := range r.Participants {
				if p.Name == "Ada" {
					n = p.Stored()
				}
			}
			return nil
		})
		return n
	}
	const size = 100_000
	large := strings.Repeat("x", size)
	hand := func(token, text string) (status int) {
		body := fmt.Sprintf(`{"exercise":"exercise6","files":{"stream.go":%q}}`, text)
		status, _ = c.try("POST", at+"/submissions", token, body, http.Header{"Idempotency-Key": {text[:5]}})
		return status
	}
	if status := hand(ada, "1wrong"+large); status != http.StatusAccepted {
		t.Fatalf("status %d", status)
	}
	verdict := len(`{"pass":false}`)
	const event = 512 // the submission, and each report
	c.until(func() bool { return stored() == len(`{"stream.go":""}`)+6+size+verdict+event })
	c.do(204, "POST", at+"/progress", ada, checked("package a"+large))
	c.do(204, "POST", at+"/progress", ada, checked("package b"+large)) // in its place
	want := 2*(len(`{"stream.go":""}`)+size) + 6 + 9 + verdict + 3*event
	for range 2 {
		if got := stored(); got != want {
			t.Errorf("%d bytes are counted, want %d", got, want)
		}
		stop()
		c, stop = start(t, dir)
	}
	c.server.view(code, func(r *room.Room) error {
		for _, p := range r.Participants {
			if p.Name == "Ada" {
				p.Bytes = room.MaxBytes
			}
		}
		return nil
	})
	if status := hand(ada, "2wrong"); status != http.StatusConflict {
		t.Errorf("beyond the bound: status %d", status)
	}
	if status := hand(ada, "1wrong"+large); status != http.StatusAccepted {
		t.Errorf("the first one again: status %d", status)
	}
	c.do(409, "POST", at+"/progress", ada, checked("package c"))
	c.do(409, "POST", at+"/progress", ada, `{"exercise":"exercise6","stage":"tests","check":"without"}`)
	if status := hand(bob, "1right"); status != http.StatusAccepted {
		t.Errorf("somebody else: status %d", status)
	}
}

// TestPlaces fills a room with names, and removes some. Those who did nothing leave their places to others, and can be
// let back in as long as there is one.
func TestPlaces(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	c.join(code, "Eve")
	c.handIn(code, ada, "exercise6")
	c.fill(code, room.MaxParticipants-2)
	c.do(409, "POST", at+"/join", "", `{"name":"Bob"}`)
	seats := c.seats(code, instructor)
	eve := seats["Eve"][0].id
	c.do(200, "PATCH", at, instructor, `{"remove":"`+seats["Ada"][0].id+`"}`)
	c.do(409, "POST", at+"/join", "", `{"name":"Bob"}`)
	c.do(200, "PATCH", at, instructor, `{"remove":"`+eve+`"}`)
	c.do(200, "PATCH", at, instructor, `{"restore":"`+eve+`"}`)
	c.do(200, "PATCH", at, instructor, `{"remove":"`+eve+`"}`)
	c.do(201, "POST", at+"/join", "", `{"name":"Bob"}`)
	c.do(409, "PATCH", at, instructor, `{"restore":"`+eve+`"}`)
	c.do(200, "PATCH", at, instructor, `{"restore":"`+seats["Ada"][0].id+`"}`)
	c.do(409, "POST", at+"/join", "", `{"name":"Chi"}`)
}
