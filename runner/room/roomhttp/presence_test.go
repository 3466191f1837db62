package roomhttp

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"onthestack/runner/room"
	"onthestack/runner/store"
)

// TestPresence tests that the instructor sees who is connected, also after a change that is in no event.
func TestPresence(t *testing.T) {
	var ahead atomic.Int64
	c, _ := startWith(t, store.Options{Dir: t.TempDir()}, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	row := func(token string) map[string]any {
		return c.do(200, "GET", at, token, "")["participants"].([]any)[0].(map[string]any)
	}
	if got := row(instructor); got["connected"] != nil || got["left"] != nil || got["joined"] == nil {
		t.Errorf("before a page is open: %v", got)
	}
	var closes []context.CancelFunc
	for range 2 {
		ctx, closePage := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, "GET", c.url+at+"/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+ada)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		closes = append(closes, closePage)
	}
	c.until(func() bool { return row(instructor)["connected"] == true })
	if got := row(ada); got["connected"] != nil || got["left"] != nil {
		t.Errorf("a participant sees %v", got)
	}
	var sent roomView
	c.server.view(code, func(r *room.Room) error {
		sent = c.server.viewFor(r, caller{code: code, instructor: true})
		return nil
	})
	streams := func(n int) func() bool {
		return func() bool {
			c.server.mu.Lock()
			defer c.server.mu.Unlock()
			return c.server.present[sent.Participants[0].ID].streams == n
		}
	}
	closes[0]()
	c.until(streams(1))
	ahead.Add(int64(time.Minute))
	if row(instructor)["connected"] != true || c.server.isMoved(sent) {
		t.Error("one of two tabs was closed, and the participant is away")
	}
	closes[1]()
	c.until(streams(0))
	if row(instructor)["connected"] != true || c.server.isMoved(sent) {
		t.Error("the participant is away while the next page opens")
	}
	ahead.Add(int64(awayAfter))
	if got := row(instructor); got["connected"] != nil || got["left"] == nil || !c.server.isMoved(sent) {
		t.Errorf("after the last page was closed: %v", got)
	}
	if !c.server.isMoved(roomView{}) {
		t.Error("a page that has reconnected is not told who is here")
	}
}

// TestPresenceInCluster tests that a server which does not know who is connected does not say that nobody is.
func TestPresenceInCluster(t *testing.T) {
	c, _ := startWith(t, store.Options{Dir: t.TempDir()}, func(o *Options) { o.Cluster = true })
	code := c.open()
	c.join(code, "Ada")
	view := c.do(200, "GET", "/api/rooms/"+code, instructor, "")
	if row := view["participants"].([]any)[0].(map[string]any); view["presence"] != nil || row["left"] != nil {
		t.Errorf("it says %v", view)
	}
	if c.server.isMoved(roomView{Room: code, Participants: []participantView{{ID: "a", Connected: true}}}) {
		t.Error("it has the view sent again because of who is connected")
	}
}

// TestHints tests which reports of opened hints a room takes.
func TestHints(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	sequence := func() (n uint64) {
		c.server.view(code, func(r *room.Room) error { n = r.Sequence; return nil })
		return n
	}
	for _, test := range []struct {
		token    string
		exercise string
		hints    int
		status   int
		stored   bool
	}{
		{ada, "exercise6", 0, 204, false},
		{ada, "exercise6", 2, 204, true},
		{ada, "exercise6", 2, 204, false},
		{ada, "exercise6", 1, 204, false},
		{ada, "exercise6", 101, 400, false},
		{ada, "exercise6", -1, 400, false},
		{ada, "exercise9", 1, 400, false},
		{instructor, "exercise6", 3, 403, false},
	} {
		before := sequence()
		c.do(test.status, "POST", at+"/hints", test.token,
			fmt.Sprintf(`{"exercise":%q,"hints":%d}`, test.exercise, test.hints))
		if stored := sequence() > before; stored != test.stored {
			t.Errorf("%+v: stored %v", test, stored)
		}
	}
	work := c.do(200, "GET", at, instructor, "")["participants"].([]any)[0].(map[string]any)["work"].(map[string]any)
	if got := work["exercise6"].(map[string]any); got["hints"] != 2.0 || got["attempts"] != 0.0 {
		t.Errorf("the grid has %v", got)
	}
}
