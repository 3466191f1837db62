package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"os"
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

// sendAll sends each request at its time. The answers are in the order of the requests.
func sendAll(ctx context.Context, address string, requests []request) []answer {
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
			pause(ctx, time.Until(begin.Add(r.at)))
			answers[i] = r.press(ctx, clients[r.client], address)
			if n := answered.Add(1); n%50 == 0 {
				fmt.Fprintf(os.Stderr, "%d answered after %v\n", n, time.Since(begin).Round(time.Second))
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

// press sends a request until it is answered, and judges the answer.
func (r request) press(ctx context.Context, c *http.Client, address string) (a answer) {
	start := time.Now()
	body, busy, err := r.send(ctx, c, address)
	a = answer{took: time.Since(start), busy: busy}
	if err != nil {
		a.problem = "lost: " + err.Error()
	} else {
		a.problem = r.wrong(body)
	}
	return a
}

// send sends a request, again if the runner is busy, and returns the body of the answer. busy counts the refusals.
func (r request) send(ctx context.Context, c *http.Client, address string) (body []byte, busy int, err error) {
	for {
		status, retry, body, err := r.post(ctx, c, address)
		switch {
		case err != nil:
			return nil, busy, err
		case status < 300:
			return body, busy, nil
		case status != http.StatusServiceUnavailable || retry < 1:
			return nil, busy, fmt.Errorf("%s: status %d, Retry-After %d: %.300s", r.path, status, retry, body)
		}
		busy++
		pause(ctx, time.Duration(retry)*time.Second)
	}
}

// post sends a request once. The last event of a stream is returned as the response without a stream would be.
func (r request) post(ctx context.Context, c *http.Client, address string) (status, retry int, body []byte, err error) {
	reply, err := r.open(ctx, c, address)
	if err != nil {
		return 0, 0, nil, err
	}
	defer reply.Body.Close()
	if strings.HasPrefix(reply.Header.Get("Content-Type"), "text/event-stream") {
		return readEnd(reply.Body)
	}
	retry, _ = strconv.Atoi(reply.Header.Get("Retry-After"))
	body, err = io.ReadAll(reply.Body)
	return reply.StatusCode, retry, body, err
}

// open sends a request and returns the answer, whose body the caller reads and closes.
func (r request) open(ctx context.Context, c *http.Client, address string) (*http.Response, error) {
	method, body := http.MethodPost, io.Reader(strings.NewReader(r.body))
	if r.method != "" {
		method = r.method
	}
	if r.slowly {
		body = io.MultiReader(body, drops{ctx})
	}
	request, err := http.NewRequestWithContext(ctx, method, address+r.path, body)
	if err != nil {
		return nil, err
	}
	for name, value := range r.header {
		request.Header.Set(name, value)
	}
	if r.streamed {
		request.Header.Set("Accept", "text/event-stream")
	}
	return c.Do(request)
}

type event struct{ id, name, data string }

// events returns the events of a stream until it ends. It leaves out an event that is not complete.
func events(stream io.Reader) iter.Seq[event] {
	return func(yield func(event) bool) {
		var e event
		for lines := bufio.NewReader(stream); ; {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			switch field {
			case "id":
				e.id = value
			case "event":
				e.name = value
			case "data":
				e.data += value
			case "": // the end of the event, or a comment
				if line == "\n" && e.data != "" {
					if !yield(e) {
						return
					}
					e = event{}
				}
			}
		}
	}
}

// readEnd reads a stream to its end, and returns the last event as the response without a stream would be. The events
// before it report progress.
func readEnd(stream io.Reader) (status, retry int, body []byte, err error) {
	var last event
	for last = range events(stream) {
	}
	switch last.name {
	case "verdict":
		return http.StatusOK, 0, []byte(last.data), nil
	case "busy":
		var busy struct{ Seconds int }
		err := json.Unmarshal([]byte(last.data), &busy)
		return http.StatusServiceUnavailable, busy.Seconds, []byte(last.data), err
	case "error":
		return http.StatusInternalServerError, 0, []byte(last.data), nil
	}
	return 0, 0, nil, fmt.Errorf("the stream ends after %q %s", last.name, last.data)
}

// pause waits for a time, or until ctx is done.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
