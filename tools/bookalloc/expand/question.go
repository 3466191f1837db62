package expand

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
	"onthestack/internal/escape"
	"onthestack/internal/verdict"
	"onthestack/tools/bookalloc/measure"
)

// QuestionsFile has the multiple-choice questions of a chapter, by name. It is in the chapter's folder:
//
//	[reader]
//	ask = "Which line sends the `bytes.Buffer` to the heap?"
//	listing = "memory-profiling/listings/interface"
//	escapes = "&bytes.Buffer{...} escapes to heap"
//
//	[[reader.choice]]
//	text = "`n, err := io.ReadFull(input, window[filled:])`"
//	line = "io.ReadFull("
//	right = true
//	why = "The call stores the pointer in an `io.Reader`."
//
// Exactly one choice is right, and what a question is about has to prove it, so that an answer cannot become wrong
// without a failing build. There are four kinds:
//
//   - escapes asks for the line that sends a value to the heap. Each choice has a line of the listing, and the right
//     one is the last step of the flow that explains the diagnostic.
//   - from asks which change makes a listing's benchmark, "LISTING BenchmarkName", allocate less. Each choice has what
//     it changes the program to, and the right one measures less. If from is an exercise, the choices are its likely
//     mistakes, "exercise6/a-value", and its solution, "exercise6", which is right.
//   - change asks in which stage the check stops a likely mistake. Each choice has a stage.
//   - source is the address where the answer can be read, for a question about what cannot be measured. A person has
//     read it.
const QuestionsFile = "questions.toml"

// A question is a multiple-choice question.
type question struct {
	Ask     string   `toml:"ask"` // Markdown
	Listing string   `toml:"listing"`
	Escapes string   `toml:"escapes"` // a diagnostic about the listing
	At      string   `toml:"at"`      // a part of the diagnostic's line, where several lines have the same
	From    string   `toml:"from"`
	Change  string   `toml:"change"`
	Source  string   `toml:"source"`
	Choices []choice `toml:"choice"`
}

// A choice is one of the answers to a question.
type choice struct {
	Text  string `toml:"text"` // Markdown
	Why   string `toml:"why"`  // Markdown: why it is right or wrong
	Right bool   `toml:"right"`
	Line  string `toml:"line"`  // a part of one line of the listing
	To    string `toml:"to"`    // what is measured after the change
	Stage string `toml:"stage"` // of a check
}

// questionData is what a page knows of a question. The page has its texts.
type questionData struct {
	Name  string `json:"name"`  // "memory-profiling/reader"
	Right int    `json:"right"` // index of the right choice
}

// readQuestion reads a question by "CHAPTER/NAME".
func (b *Book) readQuestion(name string) (*question, error) {
	file := path.Join(path.Dir(name), QuestionsFile)
	text, err := fs.ReadFile(b.Files, file)
	if err != nil {
		return nil, err
	}
	questions := map[string]*question{}
	if err := bookdata.DecodeTOML(string(text), &questions); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	q := questions[path.Base(name)]
	if q == nil {
		return nil, fmt.Errorf("%s has no question %q", file, path.Base(name))
	}
	if err := q.complete(); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", file, path.Base(name), err)
	}
	return q, nil
}

// complete reports what a question lacks.
func (q *question) complete() error {
	kinds := slices.DeleteFunc([]string{q.Escapes, q.From, q.Change, q.Source}, func(k string) bool { return k == "" })
	right := 0
	for _, c := range q.Choices {
		if c.Text == "" || c.Why == "" {
			return errors.New("each choice needs text and why")
		}
		if c.Right {
			right++
		}
	}
	switch {
	case q.Ask == "":
		return errors.New("it asks nothing: write ask")
	case len(kinds) != 1:
		return errors.New("say what proves the answer: one of escapes, from, change and source")
	case len(q.Choices) < 2 || right != 1:
		return fmt.Errorf("%d of %d choices are right: write two or more, with one that is right", right,
			len(q.Choices))
	}
	return nil
}

// question shows a question. Without a script the reader opens the answer.
func (x *expander) question(args []string) (string, error) {
	name := args[0]
	q, err := x.book.readQuestion(name)
	if err == nil {
		err = x.proveQuestion(q)
	}
	if err != nil {
		return "", err
	}
	right := slices.IndexFunc(q.Choices, func(c choice) bool { return c.Right })
	return block("question", struct {
		*question
		ID   string
		Data questionData
	}{q, strings.ReplaceAll(name, "/", "-"), questionData{name, right}})
}

// proveQuestion reports an error unless exactly the choice that is called right is proved right.
func (x *expander) proveQuestion(q *question) error {
	prove := x.proveChange
	switch {
	case strings.HasPrefix(q.Source, "https://"):
		return nil
	case q.Source != "":
		return fmt.Errorf("source %q is not an https address", q.Source)
	case q.Escapes != "":
		prove = x.proveLine
	case q.Change != "":
		prove = x.proveStage
	}
	for i, c := range q.Choices {
		right, fact, err := prove(q, c)
		if err == nil && right != c.Right {
			err = fmt.Errorf("the text says right = %t, but %s", c.Right, fact)
		}
		if err != nil {
			return fmt.Errorf("choice %d: %w", i+1, err)
		}
	}
	return nil
}

// proveLine reports whether the line of a choice is the last step of the flow that the question is about.
func (x *expander) proveLine(q *question, c choice) (right bool, fact string, err error) {
	v, err := x.diagnosed(q.Listing)
	if err != nil {
		return false, "", err
	}
	var found *escape.Diagnostic
	for i, d := range v.Escapes {
		if d.Message != q.Escapes || len(d.Flow) == 0 {
			continue
		}
		if at, err := x.lineOf(q.Listing, d.File, q.At); q.At != "" && (err != nil || at != d.Line) {
			continue
		}
		if found != nil {
			return false, "", fmt.Errorf("the compiler says %q on several lines of %s: name one with at", q.Escapes,
				q.Listing)
		}
		found = &v.Escapes[i]
	}
	if found == nil {
		return false, "", fmt.Errorf("the compiler does not say %q about %s, with a flow", q.Escapes, q.Listing)
	}
	line, err := x.lineOf(q.Listing, found.File, c.Line)
	if err != nil {
		return false, "", err
	}
	last := found.Flow[len(found.Flow)-1]
	return last.Line == line, fmt.Sprintf("the flow ends on %s:%d, and the choice is on line %d", last.File,
		last.Line, line), nil
}

// lineOf returns the only line of a listing's file that contains a text.
func (x *expander) lineOf(listing, name, text string) (int, error) {
	file, err := bookdata.ReadListingFile(x.book.Files, path.Join(listing, name))
	if err != nil {
		return 0, err
	}
	found := 0
	for i, line := range strings.Split(file.Numbered(), "\n") {
		if text == "" || !strings.Contains(line, text) {
			continue
		}
		if found > 0 {
			return 0, fmt.Errorf("lines %d and %d of %s contain %q: quote more of one", found, i+1, file.Name, text)
		}
		found = i + 1
	}
	if found == 0 {
		return 0, fmt.Errorf("no line of %s contains %q", file.Name, text)
	}
	return found, nil
}

// proveChange reports whether a change makes what the question is about allocate less. Of an exercise's changes only
// the solution is right, because likely mistakes do not pass.
func (x *expander) proveChange(q *question, c choice) (right bool, fact string, err error) {
	if e := x.book.Catalog.Lookup(q.From); e != nil {
		id, mistake, _ := strings.Cut(c.To, "/")
		if id != q.From {
			return false, "", fmt.Errorf("to = %q is not about %s", c.To, q.From)
		}
		if mistake == "" {
			return true, "the solution of " + q.From + " passes", nil
		}
		_, err := x.mistake(c.To)
		return false, c.To + " is a likely mistake, which does not pass", err
	}
	before, err := x.benchmark(q.From)
	if err != nil {
		return false, "", err
	}
	after, err := x.benchmark(c.To)
	if err != nil {
		return false, "", err
	}
	return after.AllocsPerOp < before.AllocsPerOp,
		fmt.Sprintf("%g allocs/op before, %g after", before.AllocsPerOp, after.AllocsPerOp), nil
}

// benchmark returns what is measured today of "LISTING BenchmarkName", or of the only benchmark of "LISTING".
func (x *expander) benchmark(reference string) (*verdict.Benchmark, error) {
	listing, name, _ := strings.Cut(reference, " ")
	l, err := x.measured(listing)
	if err != nil {
		return nil, err
	}
	return l.Benchmark(name)
}

// proveStage reports whether the check stops a likely mistake in the stage of a choice.
func (x *expander) proveStage(q *question, c choice) (right bool, fact string, err error) {
	if stages := verdict.Stages(); !slices.Contains(stages, c.Stage) {
		return false, "", fmt.Errorf("no stage %q: the stages are %s", c.Stage, strings.Join(stages, ", "))
	}
	m, err := x.mistake(q.Change)
	return m.Result.Stage == c.Stage, fmt.Sprintf("%s is stopped by %s", q.Change, m.Result.Stage), err
}

// mistake returns a likely mistake with its result, by "exerciseN/NAME".
func (x *expander) mistake(name string) (bookdata.MeasuredMisconception, error) {
	all, err := bookdata.ReadMeasuredMisconceptions(x.book.Files)
	if err != nil {
		return bookdata.MeasuredMisconception{}, err
	}
	id, base, _ := strings.Cut(name, "/")
	m, ok := all.Of(id, base)
	if !ok {
		return m, fmt.Errorf("%s has no likely mistake %q", id, base)
	}
	return m, nil
}

// wantQuestion adds the listings that prove the answer to a question.
func (b *Book) wantQuestion(w *measure.Wanted, name string) error {
	q, err := b.readQuestion(name)
	if err != nil {
		return err
	}
	if q.Listing != "" {
		w.Lines[q.Listing] = true
	}
	names := []string{q.Listing}
	if b.Catalog.Lookup(q.From) == nil {
		names = append(names, q.From)
		for _, c := range q.Choices {
			names = append(names, c.To)
		}
	}
	for _, reference := range names {
		if listing, _, _ := strings.Cut(reference, " "); listing != "" {
			w.Listings[listing] = true
		}
	}
	return nil
}
