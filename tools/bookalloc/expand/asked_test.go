package expand

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestAskedQuestions tests what pages are told that ask a question of the book elsewhere.
func TestAskedQuestions(t *testing.T) {
	const grow = "{{#listing first/listings/grow/grow.go:grow}}\n\n"
	for _, c := range []struct {
		name, page string
		want       []string // ID, unit, choices and code of each
	}{
		{"a prediction", grow + "{{#predict first/listings/grow}}\n",
			[]string{"predict-first-grow, allocs/op: grow/grow.go"}},
		{"one of both figures", grow + "{{#predict first/listings/grow bytes}}\n",
			[]string{"predict-first-grow, allocs/op: grow/grow.go", "predict-first-grow_bytes, B/op: grow/grow.go"}},
		{"code that comes later", "{{#predict first/listings/grow}}\n\n" + grow,
			[]string{"predict-first-grow, allocs/op: "}},
		{"code that is shown twice", grow + grow + "{{#predict first/listings/grow}}\n",
			[]string{"predict-first-grow, allocs/op: grow/grow.go"}},
		{"code of another listing", grow + "{{#predict first/listings/still BenchmarkLong}}\n",
			[]string{"predict-first-still-BenchmarkLong, allocs/op: "}},
		{"choices", grow + "{{#question first/grows}}\n\n{{#question first/read}}\n",
			[]string{"question-first-grows, 2 choices: grow/grow.go", "question-first-read, 2 choices: "}},
		{"choices of lines that no page shows", "{{#question first/grows}}\n",
			[]string{"question-first-grows, 2 choices: grow/grow.go"}},
		{"asked again", grow + "{{#predict first/listings/grow}}\n\n{{#predict first/listings/grow}}\n",
			[]string{"predict-first-grow, allocs/op: grow/grow.go"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			questions, err := open(t, c.page).Questions()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, q := range questions {
				kind := q.Unit
				if kind == "" {
					kind = strconv.Itoa(len(q.Choices)) + " choices"
				} else if q.Now == nil || q.Now.Go == "" {
					t.Errorf("%s has no figure", q.ID)
				}
				var names []string
				for _, code := range q.Code {
					names = append(names, code.Name)
				}
				got = append(got, q.ID+", "+kind+": "+strings.Join(names, " "))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}
