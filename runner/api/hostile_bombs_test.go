package api

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"onthestack/internal/programs"
	"onthestack/internal/step"
	"onthestack/internal/verdict"
)

// tooHard ends the message about code on which a parser or a type checker takes too long or too much memory.
const tooHard = ": make it smaller or simpler"

// typesThatDouble takes the type checker for ever: two types of 2^26 parts are compared.
var typesThatDouble = "type s0 = struct{ a, b int }\ntype t0 = struct{ a, b int }\n" +
	counted(26, "type s%[2]d = struct{ a, b s%[1]d }\ntype t%[2]d = struct{ a, b t%[1]d }\n") +
	"\nvar x s26\n\nvar y t26 = x\n"

// textsThatDouble takes it all memory.
var textsThatDouble = "const s0 = \"" + repeat("a", 64) + "\"\n" + counted(28, "const s%[2]d = s%[1]d + s%[1]d\n") +
	"\nconst n = len(s28)\n"

// typesInferred takes the type checker all memory too, although no type is written that is large, and no call around
// another one makes it so.
var typesInferred = "func d[T any](x T) (r struct{ a, b T }) { return }\n\nfunc bomb() {\n\tx0 := 0\n" +
	counted(26, "\tx%[2]d := d(x%[1]d)\n") + "\t_ = x26\n}\n"

// TestBombs sends programs on which a parser or a type checker takes very long or much memory, also in files that a
// build constraint leaves out. Meanwhile another client gets the answer to its own program, from the same server.
// Package analysis has the table of such programs.
func TestBombs(t *testing.T) {
	p := startProcess(t, "--addr", "127.0.0.1:0", "--concurrency", "2", "--engine", "wasm")
	waitFor(t, "the standard library", func() bool { return p.log.contains("the whole standard library is compiled") })
	leftOut := func(declarations string) string {
		return hello + "-- bomb.go --\n//go:build never\n\npackage main\n\n" + declarations
	}
	solution := func(declarations string) string {
		text, err := json.Marshal(checkRequest{"exercise18", map[string]string{
			"seats.go": "package cinema\n\n" + declarations}})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, c := range []struct{ name, path, kind, body string }{
		{"types in a file left out", "/step", formType, url.Values{"body": {leftOut(typesThatDouble)}}.Encode()},
		{"texts in a file left out", "/step", formType, url.Values{"body": {leftOut(textsThatDouble)}}.Encode()},
		{"inferred types", "/check", "application/json", solution(typesInferred)},
		{"texts of a solution", "/check", "application/json", solution(textsThatDouble)},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers := make(chan answer, 2)
			for range cap(answers) {
				go func() { answers <- send(t, "POST", p.at+c.path, c.kind, c.body) }()
			}
			waitFor(t, "the bombs to have slots", func() bool {
				return scrape(t, p.at)[`runner_queue_working{queue="work"}`] > 0 ||
					len(answers) > 0
			})
			if got := p.helloFrom(t, "127.0.0.2", c.name); got != "hi\n" {
				t.Errorf("another client's program printed %q", got)
			}
			for range cap(answers) {
				a := <-answers
				if a.status != http.StatusOK || !refusedAsTooHard(t, c.path, a) {
					t.Errorf("status %d: %.500s", a.status, a.body)
				}
			}
		})
	}
	if t.Failed() {
		t.Log(p.log)
	}
	p.signal(t)
	if err := p.Wait(); err != nil {
		t.Errorf("the runner ended with %v\n%s", err, p.log)
	}
}

// refusedAsTooHard reports whether an answer says that code is too hard, or, for a solution, that the policy refuses
// it.
func refusedAsTooHard(t *testing.T, path string, a answer) bool {
	if path == "/check" {
		v := decode[verdict.Verdict](t, a)
		return !v.Pass && len(v.Errors) == 1 && (v.Stage == verdict.StagePolicy &&
			strings.Contains(v.Errors[0].Message, "smaller") || v.Stage == verdict.StageBuild)
	}
	return strings.HasSuffix(decode[step.Document](t, a).Errors, tooHard+"\n")
}

// helloFrom sends a program from another address of this machine, and returns what it prints.
func (p process) helloFrom(t *testing.T, address, text string) string {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	other := &http.Client{Timeout: client.Timeout, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, at string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, at)
		}}}
	// The comment makes it a program that the cache does not have.
	reply, err := other.PostForm(p.at+"/compile", url.Values{"body": {hello + "// " + text + time.Now().String()}})
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var got programs.Response
	if err := json.NewDecoder(reply.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	return printed(got, "stdout", "stderr")
}
