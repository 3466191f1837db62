package api

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"onthestack/runner/queue"
)

// TestUnreadAnswers has a client request answers that it does not read. Once too many bytes are unread, its requests
// are refused. Other clients are not refused, and neither is this client after it has read the answers.
func TestUnreadAnswers(t *testing.T) {
	s := idleServer(t, 1, 10)
	long := strings.Repeat("x", maxUnsent/2)
	large := func(*http.Request) (queue.Request, error) {
		return queue.Request{Work: func(context.Context, *queue.Task) (queue.Result, error) {
			return queue.Result{Value: long}, nil
		}}, nil
	}
	ts := startServer(t, s.only(s.endpoint(large, "verdict")))
	ask := func(client, accept string) *bufio.Reader {
		t.Helper()
		local := &net.TCPAddr{IP: net.ParseIP(client)}
		conn, err := (&net.Dialer{LocalAddr: local}).DialContext(t.Context(), "tcp", ts.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\nContent-Length: 0\r\n"+
			"Connection: close\r\n\r\n", accept)
		return bufio.NewReader(conn)
	}
	status := func(r *bufio.Reader) (*http.Response, func()) {
		t.Helper()
		reply, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return reply, func() { reply.Body.Close() }
	}
	const lazy, other = "127.0.0.1", "127.0.0.2"
	var left []*bufio.Reader
	for _, accept := range []string{"*/*", "text/event-stream"} {
		left = append(left, ask(lazy, accept))
		n := len(left)
		waitFor(t, "an answer to be sent", func() bool {
			s.unsent.mu.Lock()
			defer s.unsent.mu.Unlock()
			return s.unsent.bytes[lazy] >= n*len(long)
		})
	}
	refused, end := status(ask(lazy, "*/*"))
	defer end()
	if refused.StatusCode != http.StatusServiceUnavailable || refused.Header.Get("Retry-After") != "30" {
		t.Errorf("the next request got status %d, %v", refused.StatusCode, refused.Header)
	}
	welcome, end := status(ask(other, "*/*"))
	defer end()
	if welcome.StatusCode != http.StatusOK {
		t.Errorf("another client got status %d", welcome.StatusCode)
	}
	for _, r := range left {
		reply, end := status(r)
		if n, err := io.Copy(io.Discard, reply.Body); err != nil || n < int64(len(long)) {
			t.Errorf("an answer that was read late has %d bytes, %v", n, err)
		}
		end()
	}
	waitFor(t, "the answers to be read", func() bool { return s.unsent.check(lazy) == nil })
	again, end := status(ask(lazy, "*/*"))
	defer end()
	if again.StatusCode != http.StatusOK {
		t.Errorf("who has read was answered %d", again.StatusCode)
	}
}
