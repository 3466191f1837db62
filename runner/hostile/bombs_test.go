package hostile

import (
	"context"
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

// A bomb is a request with code on which a parser or a type checker takes very long or much memory.
type bomb struct{ name, path, kind, body string }

// inFileLeftOut returns a bomb in a file that a build constraint leaves out of a program, and that nobody looks into.
func inFileLeftOut(name, declarations string) bomb {
	program := hello + "-- bomb.go --\n//go:build never\n\npackage main\n\n" + declarations
	return bomb{name + " in a file left out", "/step", formType, url.Values{"body": {program}}.Encode()}
}

// inSolution returns a bomb in a solution.
func inSolution(name, declarations string) bomb {
	return bomb{name + " in a solution", "/check", "application/json",
		solution("exercise1", "seats.go", "package cinema\n\n"+declarations)}
}

// TestProofBombs sends bombs to a server that does nothing else. TestHostile sends another one. Package analysis has
// the table of such programs.
func TestProofBombs(t *testing.T) {
	r := startTarget(t, unlimited, "--engine", "wasm")
	for _, c := range []bomb{inFileLeftOut("types", typesThatDouble), inFileLeftOut("texts", textsThatDouble),
		inSolution("inferred types", typesInferred)} {
		t.Run(c.name, func(t *testing.T) { c.drop(t, r) })
	}
	r.stop(t)
}

// drop sends the bomb. Meanwhile another client gets the answer to its own program, from the same server.
func (c bomb) drop(t *testing.T, r *target) {
	answers := make(chan answer, targetSlots)
	for range targetSlots {
		go func() { answers <- r.send(t, c.path, c.kind, c.body) }()
	}
	waitFor(t, "the bombs to have slots", func() bool {
		return r.metrics(t)[`runner_queue_working{queue="work"}`] > 0 || len(answers) > 0
	})
	if got := r.helloFrom(t, "127.0.0.2", c.name); got != "hi\n" {
		t.Errorf("another client's program printed %q", got)
	}
	for range targetSlots {
		a := <-answers
		if a.status != http.StatusOK || !defused(t, c.path, a) {
			t.Errorf("status %d: %.500s", a.status, a.body)
		}
	}
}

// defused reports whether an answer has the steps of the program, or, for a solution, says that the policy refuses it or
// that it is too hard.
func defused(t *testing.T, path string, a answer) bool {
	if path == "/check" {
		v := decode[verdict.Verdict](t, a)
		return !v.Pass && len(v.Errors) == 1 && (v.Stage == verdict.StagePolicy &&
			strings.Contains(v.Errors[0].Message, "smaller") || v.Stage == verdict.StageBuild)
	}
	d := decode[step.Document](t, a)
	return d.Errors == "" && len(d.Steps) > 0
}

// helloFrom sends a program from another address of this machine, and returns what it prints.
func (r *target) helloFrom(t *testing.T, address, text string) string {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	other := &http.Client{Timeout: client.Timeout, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, at string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, at)
		}}}
	// The comment makes it a program that the cache does not have.
	reply, err := other.PostForm(r.at+"/compile", url.Values{"body": {hello + "// " + text + time.Now().String()}})
	return printed(decode[programs.Response](t, read(t, reply, err)), "stdout", "stderr")
}
