package loadtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// An answer is the result of a request.
type answer struct {
	took    time.Duration // from the press to the answer that counts, refusals and waiting for Retry-After included
	busy    int           // answers that the runner is busy
	problem string        // "" for a right answer
}

// send sends each request at its time, and again if the runner is busy. The answers are in the order of the requests.
func send(ctx context.Context, address string, requests []request, progress io.Writer) []answer {
	clients := map[int]*http.Client{}
	for _, r := range requests {
		if clients[r.client] == nil {
			clients[r.client] = client(r.client)
		}
	}
	answers := make([]answer, len(requests))
	var answered atomic.Int64
	var all sync.WaitGroup
	begin := time.Now()
	for i, r := range requests {
		all.Go(func() {
			select {
			case <-time.After(time.Until(begin.Add(r.at))):
			case <-ctx.Done():
			}
			answers[i] = press(ctx, clients[r.client], address, r)
			if n := answered.Add(1); n%50 == 0 {
				fmt.Fprintf(progress, "%d answered after %v\n", n, time.Since(begin).Round(time.Second))
			}
		})
	}
	all.Wait()
	return answers
}

// client returns the client of one person. Each has its own loopback address, if the system allows that.
func client(n int) *http.Client {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(1+n))}}
	return &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return new(net.Dialer).DialContext(ctx, network, address)
			}
			return conn, nil
		},
	}}
}

func press(ctx context.Context, c *http.Client, address string, r request) (a answer) {
	start := time.Now()
	defer func() { a.took = time.Since(start) }()
	for {
		status, retry, body, err := post(ctx, c, address+r.path, r)
		switch {
		case err != nil:
			a.problem = "lost: " + err.Error()
			return a
		case status == http.StatusOK:
			a.problem = r.wrong(body)
			return a
		case status != http.StatusServiceUnavailable || retry < 1:
			a.problem = fmt.Sprintf("status %d, Retry-After %d: %.300s", status, retry, body)
			return a
		}
		a.busy++
		select {
		case <-time.After(time.Duration(retry) * time.Second):
		case <-ctx.Done():
			a.problem = "lost: still busy in the end"
			return a
		}
	}
}

func post(ctx context.Context, c *http.Client, address string, r request) (status, retry int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, "POST", address, strings.NewReader(r.body))
	if err != nil {
		return 0, 0, nil, err
	}
	request.Header.Set("Content-Type", r.contentType)
	if r.streamed {
		request.Header.Set("Accept", "text/event-stream")
	}
	if r.cookie != nil {
		request.AddCookie(r.cookie)
	}
	reply, err := c.Do(request)
	if err != nil {
		return 0, 0, nil, err
	}
	defer reply.Body.Close()
	retry, _ = strconv.Atoi(reply.Header.Get("Retry-After"))
	body, err = io.ReadAll(reply.Body)
	if err == nil && strings.HasPrefix(reply.Header.Get("Content-Type"), "text/event-stream") {
		return readEnd(body)
	}
	return reply.StatusCode, retry, body, err
}
