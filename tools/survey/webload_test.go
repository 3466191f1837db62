package survey

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"strings"

	"golang.org/x/net/websocket"
	"golang.org/x/sync/errgroup"
)

// pprofServer is a file for a package main that does not serve its profile. The address is in its environment.
const pprofServer = `package main

import (
	"net/http"
	_ "net/http/pprof"
	"os"
)

func init() {
	go http.ListenAndServe(os.Getenv("` + pprofAddress + `"), nil)
}
`

const pprofAddress = "PPROF_ADDRESS"

// webPaths are what clients get from go-httpbin.
var webPaths = strings.Fields(`/ /get?a=1&b=two&b=three /headers /anything/x?y=z /ip /user-agent /uuid /hostname /env
	/version /json /xml /html /robots.txt /deny /encoding/utf8 /forms/post /gzip /deflate /cache /cache/60 /etag/abc
	/base64/aGVsbG8gd29ybGQ= /base64/encode/hello /basic-auth/u/p /bearer
	/digest-auth/auth/u/p /digest-auth/auth/u/p/SHA-256 /bytes/2000 /stream-bytes/5000?chunk_size=1000 /range/1000
	/stream/10 /jsonl?count=10&duration=1ms /sse?count=10&duration=1ms&delay=0s /links/10/0 /cookies
	/cookies/set?name=value /cookies/delete?name /redirect/3 /relative-redirect/2 /absolute-redirect/2
	/redirect-to?url=/get /response-headers?X-One=1&X-Two=2 /status/418 /status/204 /trailers?Trailer-One=1
	/dump/request /image /image/png /image/svg /delay/0 /drip?numbytes=10&duration=10ms&delay=0s
	/unstable?failure_rate=0`)

// profileWeb runs go-httpbin for eight clients that use nearly all of its handlers.
func profileWeb(ctx context.Context, r run) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	load := func(ctx context.Context, _ int) error { return webClient(ctx, address) }
	return r.serveClients(ctx, 8, address, "/", load, "-host", host, "-port", port, "-srv-read-timeout", "1m",
		"-srv-read-header-timeout", "1m")
}

// serveClients runs a program with pprofServer under the load of some clients at once, which are counted from 0. The
// program is ready when it answers at a path of its address.
func (r run) serveClients(ctx context.Context, clients int, address, ready string,
	load func(ctx context.Context, client int) error, args ...string) error {
	pprof, err := freeAddress()
	if err != nil {
		return err
	}
	r.env = append(r.env, pprofAddress+"="+pprof)
	return r.serve(ctx, func(ctx context.Context) (string, error) {
		for _, a := range []string{address + ready, pprof + "/debug/pprof/"} {
			err := await(ctx, func() error { return request(ctx, http.MethodGet, "http://"+a, "", nil) })
			if err != nil {
				return "", err
			}
		}
		all, ctx := errgroup.WithContext(ctx)
		for client := range clients {
			all.Go(func() error { return load(ctx, client) })
		}
		return "http://" + pprof + "/debug/pprof/allocs?gc=1", all.Wait()
	}, args...)
}

// webClient requests each path a number of times, sends bodies, and echoes messages through a WebSocket.
func webClient(ctx context.Context, address string) error {
	form := &bytes.Buffer{}
	w := multipart.NewWriter(form)
	w.WriteField("name", "value")
	if file, err := w.CreateFormFile("file", "file.txt"); err == nil {
		file.Write(bytes.Repeat([]byte("line\n"), 200))
	}
	if err := w.Close(); err != nil {
		return err
	}
	bodies := map[string]string{
		"application/json":                  `{"name": "value", "list": [1, 2, 3], "nested": {"a": "b"}}`,
		"application/x-www-form-urlencoded": "name=value&other=1&other=2",
		"text/plain":                        strings.Repeat("some text ", 100),
		w.FormDataContentType():             form.String(),
	}
	for range 60 {
		for _, path := range webPaths {
			if err := request(ctx, http.MethodGet, "http://"+address+path, "", nil); err != nil {
				return err
			}
		}
		for kind, body := range bodies {
			for method, path := range map[string]string{"POST": "/post", "PUT": "/put", "PATCH": "/anything"} {
				if err := request(ctx, method, "http://"+address+path, kind, strings.NewReader(body)); err != nil {
					return err
				}
			}
		}
		if err := echo(address); err != nil {
			return err
		}
	}
	return nil
}

// echo sends messages through a WebSocket and receives them.
func echo(address string) error {
	c, err := websocket.Dial("ws://"+address+"/websocket/echo", "", "http://"+address+"/")
	if err != nil {
		return err
	}
	defer c.Close()
	for i := range 5 {
		sent, got := fmt.Sprint("message ", i), ""
		if err := websocket.Message.Send(c, sent); err != nil {
			return err
		}
		if err := websocket.Message.Receive(c, &got); err != nil || got != sent {
			return fmt.Errorf("the echo of %q is %q: %w", sent, got, err)
		}
	}
	return nil
}

// request reads what an address answers. A server's failure is an error, and so is an address that it does not have.
func request(ctx context.Context, method, address, contentType string, body io.Reader) error {
	r, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return err
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return fmt.Errorf("%s %s: %w", method, address, err)
	}
	if response.StatusCode == http.StatusNotFound || response.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("%s %s: %s", method, address, response.Status)
	}
	return nil
}
