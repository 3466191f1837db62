package roomhttp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestSeat recognizes a participant by the cookie that joining sets, and nobody by another one.
func TestSeat(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	response, err := http.Post(c.url+"/api/rooms/"+code+"/join", "application/json",
		strings.NewReader(`{"name":"Ada"}`))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	cookies := response.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode ||
		cookies[0].Path != "/" {
		t.Fatalf("joining sets %v", cookies)
	}
	if cookies[0].Secure {
		t.Error("without https the browser would not send the cookie")
	}
	r, err := http.NewRequestWithContext(t.Context(), "POST", c.url+"/api/rooms/"+code+"/join",
		strings.NewReader(`{"name":"Eve"}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-Proto", "https")
	if response, err = http.DefaultClient.Do(r); err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if set := response.Cookies(); len(set) != 1 || !set[0].Secure {
		t.Errorf("with https joining sets %v", set)
	}
	with := func(value string) string {
		r := httptest.NewRequest("POST", "/check", nil)
		r.AddCookie(&http.Cookie{Name: seatCookie, Value: value})
		return c.server.Participant(r)
	}
	right := cookies[0].Value
	_, token, _ := strings.Cut(right, ".")
	id := with(right)
	if id == "" {
		t.Errorf("the cookie %s is nobody's", right)
	}
	for _, wrong := range []string{
		"", ".", code, code + ".", "." + token, "222222." + token, code + ".2222222222222222", right + "2",
	} {
		if got := with(wrong); got != "" {
			t.Errorf("the cookie %q is taken for %s's", wrong, got)
		}
	}
	if got := c.server.Participant(httptest.NewRequest("POST", "/check", nil)); got != "" {
		t.Errorf("a request without a cookie is from %s", got)
	}
	// The cookie is no token.
	r, err = http.NewRequest("GET", c.url+"/api/rooms/"+code, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(cookies[0])
	if response, err = http.DefaultClient.Do(r); err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized {
		t.Errorf("a request with the cookie alone: status %d", response.StatusCode)
	}
	// Somebody who continues in another browser gets one there.
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Del("Cookie")
	if response, err = http.DefaultClient.Do(r); err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if again := response.Cookies(); len(again) != 1 || again[0].Value != right {
		t.Errorf("another browser gets %v", again)
	}
	c.do(200, "PATCH", "/api/rooms/"+code, instructor, `{"remove":"`+id+`"}`)
	if got := with(right); got != "" {
		t.Errorf("after being removed, the participant is still %s", got)
	}
}
