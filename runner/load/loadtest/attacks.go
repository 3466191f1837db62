package loadtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
)

// An attack is what one client keeps sending while another client presses Run on a hello world program.
type attack struct {
	name string
	// one sends one request, the nth, and returns when it is answered or ctx is done.
	one func(ctx context.Context, c *http.Client, address string, n int)
	// atOnce is how many of the requests are under way at the same time.
	atOnce int
	// shares is whether the other client shares programs instead.
	shares bool
}

// attacks returns the kinds of requests with which one client may make others wait.
func attacks(catalog exercise.Catalog) []attack {
	loop := func(n int) request {
		return compile(fmt.Sprintf("package main\n\nvar n = %d\n\nfunc main() { for { n++ } }\n", n))
	}
	endless := func(streamed bool) func(int) request {
		return func(n int) request {
			r := endlessCheck(catalog.Lookup("exercise1"), n)
			r.streamed = streamed
			return r
		}
	}
	return []attack{
		{name: "nothing"}, // for comparison
		{name: "checks without end", one: answered(endless(false)), atOnce: 20},
		{name: "the same as streams", one: answered(endless(true)), atOnce: 20},
		{name: "programs without end", one: answered(loop), atOnce: 20},
		{name: "builds that take long", one: answered(longBuild), atOnce: 20},
		{name: "large programs", one: answered(large), atOnce: 20},
		{name: "requests that are given up", one: givenUp(loop), atOnce: 20},
		{name: "answers that are not read", one: readNothing, atOnce: 50},
		{name: "uploads that take long", one: slowUpload, atOnce: 200},
		{name: "programs to be shared", one: share, atOnce: 20, shares: true},
	}
}

// longBuild returns a program with many generic instantiations, whose compilation exceeds its time limit.
func longBuild(n int) request {
	var b strings.Builder
	fmt.Fprintf(&b, "package main\n\ntype t0 struct{ a, b int }\n")
	for i := range 40 {
		fmt.Fprintf(&b, "type t%d struct{ a, b t%d }\n", i+1, i)
	}
	fmt.Fprintf(&b, "\nfunc main() { var x t40; println(&x, %d) }\n", n)
	return compile(b.String())
}

// large returns a program that is built within its time limit, and takes long to compile for the sandbox.
func large(n int) request {
	return compile(fmt.Sprintf("package main\n\nimport (\n\t\"crypto/tls\"\n\t\"fmt\"\n\t\"go/types\"\n\t\"net/"+
		"http\"\n\t\"text/template\"\n)\n\n"+
		"func main() {\n\tgo http.ListenAndServe(\":8080\", nil)\n\tfmt.Println(tls.Config{}, types.Universe, "+
		"template.New(\"%d\"))\n\tfor {\n\t}\n}\n", n))
}

// endlessCheck returns a solution of the exercise whose function never ends.
func endlessCheck(e *exercise.Exercise, n int) request {
	texts := map[string]string{}
	for name, text := range e.Solution {
		head, rest, _ := strings.Cut(string(text), "\nfunc ")
		signature, body, _ := strings.Cut(rest, "{\n")
		texts[name] = fmt.Sprintf("%s\nfunc %s{\n\tfor i := %d; i > 0; {\n\t}\n%s", head, signature, n+1, body)
	}
	body, err := json.Marshal(map[string]any{"exercise": e.ID, "files": texts})
	if err != nil {
		panic(err) // strings are always encoded
	}
	return request{path: "/check", contentType: "application/json", body: string(body)}
}

// answered sends a request and waits for its answer.
func answered(make func(n int) request) func(context.Context, *http.Client, string, int) {
	return func(ctx context.Context, c *http.Client, address string, n int) {
		r := make(n)
		post(ctx, c, address+r.path, r)
	}
}

// givenUp sends a request and hangs up within half a second.
func givenUp(make func(n int) request) func(context.Context, *http.Client, string, int) {
	return func(ctx context.Context, c *http.Client, address string, n int) {
		ctx, cancel := context.WithTimeout(ctx, rand.N(500*time.Millisecond))
		defer cancel()
		answered(make)(ctx, c, address, n)
	}
}

// readNothing sends a program that prints much, and does not read its answer.
func readNothing(ctx context.Context, c *http.Client, address string, n int) {
	r := compile(fmt.Sprintf("package main\n\nfunc main() {\n\tfor range 20000 {\n\t\tprintln(%d, \"a line of a long "+
		"answer that is not read\")\n\t}\n}\n", n))
	request, err := http.NewRequestWithContext(ctx, "POST", address+r.path, strings.NewReader(r.body))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", r.contentType)
	reply, err := c.Do(request)
	if err != nil {
		return
	}
	defer reply.Body.Close()
	if reply.StatusCode == http.StatusOK {
		<-ctx.Done()
	}
}

// slowUpload sends the beginning of a request, and then a byte every quarter of a second.
func slowUpload(ctx context.Context, c *http.Client, address string, n int) {
	begun := strings.NewReader("body=" + strings.Repeat("x", 60<<10))
	request, err := http.NewRequestWithContext(ctx, "POST", address+"/compile", io.MultiReader(begun, drops{ctx}))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if reply, err := c.Do(request); err == nil {
		reply.Body.Close()
	}
}

// drops is a request body that arrives at four bytes a second.
type drops struct{ ctx context.Context }

func (d drops) Read(p []byte) (int, error) {
	select {
	case <-time.After(250 * time.Millisecond):
		p[0] = 'x'
		return 1, nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

// share shares a program that cannot be compressed.
func share(ctx context.Context, c *http.Client, address string, n int) {
	text := make([]byte, 60<<10)
	for i := range text {
		text[i] = byte(' ' + rand.IntN(90))
	}
	post(ctx, c, address+"/share", request{body: string(text), contentType: "text/plain"})
}

// attackInTurn runs the attacks one after the other. It returns how long the other client waited, in all and beside
// each attack.
func attackInTurn(
	ctx context.Context,
	p plan,
	s *server,
	catalog exercise.Catalog,
	progress io.Writer,
) (kinds, beside []bookdata.ClassroomKind, wrong []string, err error) {
	hostile, other := client(p.clients+1), client(p.clients+2)
	all := map[string][]answer{}
	for i, a := range attacks(catalog) {
		fmt.Fprintf(progress, "one client sends %s for %v, and another presses\n", a.name, p.beside)
		kind, make := "hello", hello
		if a.shares {
			kind, make = "share", shared
		}
		answers := a.run(ctx, p.beside, s.address, hostile, other, func(n int) request {
			return make(10_000*(i+1) +
				n)
		})
		for _, answer := range answers {
			if answer.problem != "" {
				wrong = append(wrong, fmt.Sprintf("%s, beside %s: %s", kind, a.name, answer.problem))
			}
		}
		beside = append(beside, kindFigures(a.name, answers))
		all[kind] = append(all[kind], answers...)
		if err := s.idle(ctx); err != nil {
			return nil, nil, nil, fmt.Errorf("after %s: %w", a.name, err)
		}
	}
	for _, name := range []string{"hello", "share"} {
		kinds = append(kinds, kindFigures(name, all[name]))
	}
	return kinds, beside, wrong, nil
}

// run attacks for a time, in which the other client presses once a second.
func (a attack) run(
	ctx context.Context,
	d time.Duration,
	address string,
	hostile, other *http.Client,
	make func(n int) request,
) (answers []answer) {
	attacking, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	var sent atomic.Int64
	for range a.atOnce {
		all.Go(func() {
			for attacking.Err() == nil {
				a.one(attacking, hostile, address, int(sent.Add(1)))
				// A refusal comes at once. Without a pause this program would take the processors, and not the runner.
				pause(attacking, 100*time.Millisecond)
			}
		})
	}
	pause(ctx, 2*time.Second) // until the attack is in full swing
	for end := time.Now().Add(d); time.Now().Before(end) && ctx.Err() == nil; {
		next := time.Now().Add(time.Second)
		answers = append(answers, press(ctx, other, address, make(len(answers))))
		pause(ctx, time.Until(next))
	}
	return answers
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// hello returns a request for a program with a line of output that no program had before.
func hello(n int) request {
	r := program(n * len(programs)) // the first of them
	r.kind = "hello"
	return r
}

// shared returns a request to share a program that was not shared before.
func shared(n int) request {
	body := fmt.Sprintf("package main\n\nfunc main() { println(%d) }\n", n)
	return request{kind: "share", path: "/share", contentType: "text/plain", body: body, wrong: func(id []byte) string {
		if len(id) < 8 || len(id) > 20 {
			return fmt.Sprintf("a program was shared as %.300q", id)
		}
		return ""
	}}
}
