package roomhttp

import (
	"encoding/json"
	"testing"

	"onthestack/runner/address"
	"onthestack/runner/store"
)

// TestSites tests that the instructor is told the addresses for participants, and a participant is not.
func TestSites(t *testing.T) {
	others := []string{"http://192.168.1.20:8080/", "http://10.8.0.2:8080/"}
	c, _ := startWith(t, store.Options{Dir: t.TempDir()}, func(o *Options) {
		o.Sites = func() address.Sites { return address.Sites{Own: "http://127.0.0.1:8080/", Others: others} }
	})
	code := c.open()
	ada := c.join(code, "Ada")
	text, err := json.Marshal(c.do(200, "GET", "/api/rooms/"+code, instructor, "")["sites"])
	if want := `{"others":["http://192.168.1.20:8080/","http://10.8.0.2:8080/"]}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	if sites, ok := c.do(200, "GET", "/api/rooms/"+code, ada, "")["sites"]; ok {
		t.Errorf("a participant is told %v", sites)
	}
}
