package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
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
	make func(n int) request // the nth request; no two are the same
	// send sends a request, and returns when it is answered or ctx is done; nil for one that waits for the answer.
	send func(ctx context.Context, c *http.Client, address string, r request)
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
			r := endlessCheck(catalog.Lookup("exercise6"), n)
			r.streamed = streamed
			return r
		}
	}
	return []attack{
		{name: "nothing"}, // for comparison
		{name: "checks without end", make: endless(false), atOnce: 20},
		{name: "the same as streams", make: endless(true), atOnce: 20},
		{name: "programs without end", make: loop, atOnce: 20},
		{name: "builds that take long", make: longBuild, atOnce: 20},
		{name: "large programs", make: large, atOnce: 20},
		{name: "requests that are given up", make: loop, send: giveUp, atOnce: 20},
		{name: "answers that are not read", make: long, send: readNothing, atOnce: 50},
		{name: "uploads that take long", make: slowUpload, atOnce: 200},
		{name: "programs to be shared", make: incompressible, atOnce: 20, shares: true},
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
	return checkOf(e, texts)
}

func long(n int) request {
	return compile(fmt.Sprintf("package main\n\nfunc main() {\n\tfor range 20000 {\n\t\tprintln(%d, \"a line of a long "+
		"answer that is not read\")\n\t}\n}\n", n))
}

// slowUpload returns a request that sends its beginning, and then a byte every quarter of a second.
func slowUpload(int) request {
	return request{path: "/compile", header: contentType("application/x-www-form-urlencoded"),
		body: "body=" + strings.Repeat("x", 60<<10), slowly: true}
}

func incompressible(int) request {
	text := make([]byte, 60<<10)
	for i := range text {
		text[i] = byte(' ' + rand.IntN(90))
	}
	return request{path: "/share", header: contentType("text/plain"), body: string(text)}
}

// giveUp sends a request and hangs up within half a second.
func giveUp(ctx context.Context, c *http.Client, address string, r request) {
	ctx, cancel := context.WithTimeout(ctx, rand.N(500*time.Millisecond))
	defer cancel()
	r.post(ctx, c, address)
}

// readNothing sends a request, and does not read its answer.
func readNothing(ctx context.Context, c *http.Client, address string, r request) {
	reply, err := r.open(ctx, c, address)
	if err != nil {
		return
	}
	defer reply.Body.Close()
	if reply.StatusCode == http.StatusOK {
		<-ctx.Done()
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

// attackTime is how long each attack takes, once it is in full swing.
const attackTime = 10 * time.Second

// attackInTurn runs the attacks one after the other, and adds to the figures how long the other client waited, in all
// and beside each attack.
func (p plan) attackInTurn(
	ctx context.Context, s *server, catalog exercise.Catalog, f *bookdata.Classroom,
) (wrong []string, err error) {
	hostile, other := client(p.clients+1), client(p.clients+2)
	all := map[string][]answer{}
	for i, a := range attacks(catalog) {
		fmt.Fprintf(os.Stderr, "one client sends %s for %v, and another presses\n", a.name, attackTime)
		kind, make := "hello", hello
		if a.shares {
			kind, make = "share", shared
		}
		answers := a.run(ctx, s.address, hostile, func(n int) answer {
			return make(10_000*(i+1)+n).press(ctx, other, s.address)
		})
		for _, answer := range answers {
			if answer.problem != "" {
				wrong = append(wrong, fmt.Sprintf("%s, beside %s: %s", kind, a.name, answer.problem))
			}
		}
		f.Beside = append(f.Beside, kindFigures(a.name, answers))
		all[kind] = append(all[kind], answers...)
		if err := s.idle(ctx); err != nil {
			return nil, fmt.Errorf("after %s: %w", a.name, err)
		}
	}
	f.Kinds = append(f.Kinds, kindFigures("hello", all["hello"]), kindFigures("share", all["share"]))
	return wrong, nil
}

// run attacks for attackTime, in which press has the other client press once a second.
func (a attack) run(
	ctx context.Context, address string, hostile *http.Client, press func(n int) answer,
) (answers []answer) {
	attacking, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	var sent atomic.Int64
	for range a.atOnce {
		all.Go(func() {
			for attacking.Err() == nil {
				r := a.make(int(sent.Add(1)))
				if a.send != nil {
					a.send(attacking, hostile, address, r)
				} else {
					r.post(attacking, hostile, address)
				}
				// A refusal comes at once. Without a pause this program would take the processors, and not the runner.
				pause(attacking, 100*time.Millisecond)
			}
		})
	}
	pause(ctx, 2*time.Second) // until the attack is in full swing
	for end := time.Now().Add(attackTime); time.Now().Before(end) && ctx.Err() == nil; {
		next := time.Now().Add(time.Second)
		answers = append(answers, press(len(answers)))
		pause(ctx, time.Until(next))
	}
	return answers
}

// hello returns a request for a program with a line of output that no program had before.
func hello(n int) request { return program(n * len(classPrograms)) } // the first of them

// shared returns a request to share a program that was not shared before.
func shared(n int) request {
	body := fmt.Sprintf("package main\n\nfunc main() { println(%d) }\n", n)
	return request{path: "/share", header: contentType("text/plain"), body: body, wrong: func(id []byte) string {
		if len(id) < 8 || len(id) > 20 {
			return fmt.Sprintf("a program was shared as %.300q", id)
		}
		return ""
	}}
}
