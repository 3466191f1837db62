package expand

import (
	"strings"
	"testing"
)

// TestQuestions tests that the answer to a question is proved by what was measured.
func TestQuestions(t *testing.T) {
	const page = "{{#question first/grows}}\n\n{{#question first/less}}\n\n{{#question first/read}}\n"
	const right = "line = \"return zeros\"\nright = true"
	for _, test := range []struct{ name, from, to, want string }{
		{"as it is", "[grows]", "[grows]", ""},
		{"the wrong line is called right", right, "line = \"return zeros\"", "0 of 2 choices are right"},
		{"two are called right", "to = \"first/listings/grow BenchmarkGrow\"",
			"right = true\nto = \"first/listings/grow BenchmarkGrow\"", "2 of 2 choices are right"},
		{"the flow ends elsewhere", right, "line = \"var zeros []byte\"\nright = true",
			"choice 2: the text says right = true, but the flow ends on grow.go:15, and the choice is on line 8"},
		{"a wrong line that is right", "line = \"zeros = append(zeros, 0)\"", "line = \"return zeros\"",
			"choice 1: the text says right = false, but the flow ends on grow.go:15, and the choice is on line 15"},
		{"a line that is not there", "line = \"return zeros\"", "line = \"return ones\"",
			"no line of first/listings/grow/grow.go contains \"return ones\""},
		{"lines that are there twice", "line = \"return zeros\"", "line = \"zeros\"",
			"lines 6 and 8 of first/listings/grow/grow.go contain \"zeros\": quote more of one"},
		{"another diagnostic", "append escapes", "Grow escapes",
			"the compiler does not say \"Grow escapes to heap\" about first/listings/grow, with a flow"},
		{"a change that changes nothing", "to = \"first/listings/still BenchmarkLong\"", "to = \"first/listings/grow\"",
			"choice 2: the text says right = true, but 5 allocs/op before, 5 after"},
		{"a likely mistake that is not there", "from = \"first/listings/grow\"", "change = \"exercise6/none\"",
			"choice 1: no stage \"\": the stages are policy, build, tests, benchmark"},
		{"no proof", "source = \"https://go.dev/doc/gc-guide\"", "", "say what proves the answer"},
		{"two proofs", "from = ", "source = \"https://go.dev\"\nfrom = ", "say what proves the answer"},
		{"no address", "https://go.dev/doc/gc-guide", "the guide", "source \"the guide\" is not an https address"},
		{"no reason", "why = \"It is not.\"", "", "each choice needs text and why"},
		{"a key that is misspelled", "ask = \"Where", "asks = \"Where", "unknown key \"read.asks\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := changed(t, "first/questions.toml", test.from, test.to, page)
			_, err := b.Expand()
			if test.want == "" && err != nil || !strings.Contains(message(err), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestUnknownQuestion(t *testing.T) {
	_, err := open(t, "{{#question first/none}}\n").Expand()
	if want := "first/questions.toml has no question \"none\""; !strings.Contains(message(err), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestQuestionsAreMeasured tests that the listings that prove an answer are measured.
func TestQuestionsAreMeasured(t *testing.T) {
	w, err := open(t, "{{#question first/less}}\n").Wanted()
	if err != nil || !w.Listings["first/listings/grow"] || !w.Listings["first/listings/still"] {
		t.Errorf("%v, %v", w.Listings, err)
	}
}
