package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/programs"
)

// A request is one press of Run or Check, or another request.
type request struct {
	kind     string        // "run", "check", "hostile" or "greedy"
	client   int           // from 0
	at       time.Duration // after the beginning
	method   string        // "" for POST
	path     string
	header   map[string]string
	body     string
	streamed bool // asks for the answer as a stream, as the book's pages do
	slowly   bool // never ends its body
	// wrong returns what is wrong with the answer, or "".
	wrong func(body []byte) string
}

// schedule returns everything that the class sends, in order of time: half programs and half checks, every other
// check as a stream, no two of them the same, and every tenth a hostile program.
func (p plan) schedule(catalog exercise.Catalog) []request {
	random := rand.New(rand.NewPCG(p.seed, 0))
	var all []request
	for client := range p.clients {
		for press := range p.presses {
			n := client*p.presses + press
			var r request
			switch {
			case n%10 == 9:
				r = hostile(n / 10)
			case random.IntN(2) == 0:
				r = program(n)
			default:
				r = check(catalog[random.IntN(len(catalog))], n, random.IntN(2) == 0)
				r.streamed = n%2 == 0
			}
			r.client = client
			r.at = time.Duration(random.Int64N(int64(p.within)))
			all = append(all, r)
		}
	}
	for i := range p.greedy {
		r := program(1_000_000 + i)
		r.kind, r.client, r.at = "greedy", p.clients, p.within/2
		all = append(all, r)
	}
	slices.SortStableFunc(all, func(a, b request) int { return int(a.at - b.at) })
	return all
}

// classPrograms print their number: with fmt, with packages that take longer to link, and after some work.
var classPrograms = []string{
	"import \"fmt\"\n\nfunc main() { fmt.Println(%d) }\n",
	"import (\n\t\"fmt\"\n\t\"sort\"\n\t\"strings\"\n)\n\nfunc main() {\n\tw := strings.Fields(\"%d\")\n" +
		"\tsort.Strings(w)\n\tfmt.Println(w[0])\n}\n",
	"import (\n\t\"encoding/json\"\n\t\"os\"\n)\n\nfunc main() { json.NewEncoder(os.Stdout).Encode(%d) }\n",
	"import (\n\t\"fmt\"\n\t\"time\"\n)\n\nfunc fib(n int) int {\n\tif n < 2 {\n\t\treturn n\n\t}\n" +
		"\treturn fib(n-1) + fib(n-2)\n}\n\nfunc main() {\n\ttime.Sleep(time.Second)\n\tfib(22)\n\tfmt.Println(%d)\n" +
		"}\n",
}

func program(n int) request {
	want := fmt.Sprintf("%d\n", n)
	r := compile("package main\n\n" + fmt.Sprintf(classPrograms[n%len(classPrograms)], n))
	r.kind = "run"
	r.wrong = func(body []byte) string {
		if mistakes, printed, err := readCompiled(body); err != nil || mistakes != "" || printed != want {
			return fmt.Sprintf("a program that prints %s gave %.300s", strings.TrimSpace(want), body)
		}
		return ""
	}
	return r
}

// hostilePrograms end at a limit or by their own fault. Each has a part of the expected answer.
var hostilePrograms = []struct{ program, want string }{
	{"var n = %d\n\nfunc main() { for { n++ } }\n", "timeout running program"},
	{"var kept [][]byte\n\nfunc main() { for { kept = append(kept, make([]byte, 1<<20+%d)) } }\n", "out of memory"},
	{"import \"fmt\"\n\nfunc main() { for { fmt.Println(\"a long line that is printed again and again %d\") } }\n",
		"Output too large"},
	{"func main() { for i := %d; ; i++ { go func() { select {} }() } }\n", ""},
	{"func f(n int) int { return f(n+1) + %d }\n\nfunc main() { f(0) }\n", "stack"},
	{"var x = [1900000000]byte{1899999999: 1}\n\nfunc main() { println(x[0], %d) }\n", "memory"},
	{"import \"time\"\n\nfunc main() { for { time.Sleep(%d) } }\n", "timeout running program"},
	{"import \"os\"\n\nfunc main() { os.Stdout.Close(); os.Exit(%d %% 3) }\n", ""},
	{"var m = map[int]map[int]int{%d: nil}\n\nfunc main() {\n\tfor {\n" + strings.Repeat("\t\tm[len(m)] = m[0]\n",
		2500) + "\t}\n}\n", ""},
}

func hostile(n int) request {
	harm := hostilePrograms[n%len(hostilePrograms)]
	r := compile("package main\n\n" + fmt.Sprintf(harm.program, n+1))
	r.kind = "hostile"
	r.wrong = func(body []byte) string {
		if mistakes, printed, err := readCompiled(body); err != nil || !strings.Contains(mistakes+printed, harm.want) {
			return fmt.Sprintf("a program that ends with %q gave %.300s", harm.want, body)
		}
		return ""
	}
	return r
}

func compile(text string) request {
	form := url.Values{"version": {"2"}, "body": {text}}
	return request{path: "/compile", header: contentType("application/x-www-form-urlencoded"), body: form.Encode()}
}

func contentType(name string) map[string]string { return map[string]string{"Content-Type": name} }

func checkOf(e *exercise.Exercise, files map[string]string) request {
	body, err := json.Marshal(map[string]any{"exercise": e.ID, "files": files})
	if err != nil {
		panic(err) // strings are always encoded
	}
	return request{kind: "check", path: "/check", header: contentType("application/json"), body: string(body)}
}

// readCompiled returns the errors in an answer of /compile, and what the program has printed.
func readCompiled(body []byte) (mistakes, printed string, err error) {
	var a programs.Response
	err = json.Unmarshal(body, &a)
	var text strings.Builder
	for _, e := range a.Events {
		text.WriteString(e.Message)
	}
	return a.Errors, text.String(), err
}

// check returns a request to check the starter of an exercise, which misses its target unless it is to be left alone, or
// its solution, which passes.
func check(e *exercise.Exercise, n int, solved bool) request {
	files := e.Starter()
	if solved {
		files = e.Solution
	}
	texts := map[string]string{}
	for name, text := range files {
		texts[name] = fmt.Sprintf("%s\n// edit %d\n", text, n)
	}
	r := checkOf(e, texts)
	r.wrong = func(body []byte) string {
		var v struct {
			Exercise string
			Pass     bool
		}
		if err := json.Unmarshal(body, &v); err != nil || v.Exercise != e.ID || v.Pass != (solved || e.Leave) {
			return fmt.Sprintf("%s, solved %v, gave %.300s", e.ID, solved, body)
		}
		return ""
	}
	return r
}
