package expand

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
)

// An AskedQuestion is a question that a page of the book asks its reader, for pages that ask it elsewhere: a prediction
// of a figure, or a question with choices.
type AskedQuestion struct {
	ID      string // unique among all questions
	Page    string // the page's file in the book's folder
	Block   string // ID of its element in the page
	Ask     string // Markdown; what a prediction is about
	Unit    string // of the figure, "allocs/op" or "B/op"; "" if there are choices
	Code    []AskedCode
	Choices []AskedChoice
	Right   int          // index of the right choice
	Now     *AskedFigure // what is measured today, of a prediction
	Then    *AskedFigure // what was measured on the article's release, or nil
}

// An AskedCode is code that a question is about.
type AskedCode struct {
	Name string `json:"name"` // "interface/replace.go"
	Text string `json:"text"`
}

// An AskedChoice is one of the answers to a question, in Markdown.
type AskedChoice struct {
	Text string `json:"text"`
	Why  string `json:"why"`
}

// An AskedFigure is what was measured on a release of Go, in the question's unit.
type AskedFigure struct {
	Go     string  `json:"go"`
	Figure float64 `json:"figure"`
}

// Units of predicted figures.
const (
	unitAllocs = "allocs/op"
	unitBytes  = "B/op"
)

// bytesSuffix ends the ID of the second question of a prediction that asks for both figures.
const bytesSuffix = "_bytes"

// Questions returns the questions of all pages, in the book's order. A prediction of two figures is two questions.
func (b *Book) Questions() (all []AskedQuestion, err error) {
	x := newExpander(b)
	uses := b.uses()
	if b.unread != nil {
		return nil, b.unread
	}
	for i, u := range uses {
		args := u.directive.Args
		var questions []AskedQuestion
		listing, named := "", []string(nil)
		switch u.directive.Name {
		case "predict":
			listing, _, _ = predicted(args)
			questions, err = x.askedPrediction(args)
		case "question":
			listing, named, questions, err = b.askedChoices(args[0])
		default:
			continue
		}
		var code []AskedCode
		if err == nil {
			code, err = x.codeBefore(uses[:i], u.page, listing, named)
		}
		if err != nil {
			return nil, err
		}
		for _, q := range questions {
			q.Page, q.Code = b.Pages[u.page].Path, code
			// A page may ask again what another page has asked.
			if !slices.ContainsFunc(all, func(other AskedQuestion) bool { return other.ID == q.ID }) {
				all = append(all, q)
			}
		}
	}
	return all, nil
}

func (x *expander) askedPrediction(args []string) ([]AskedQuestion, error) {
	block, data, err := x.prediction(args)
	if err != nil {
		return nil, err
	}
	asked := func(id, unit string, figure func(predictFigure) float64) AskedQuestion {
		q := AskedQuestion{ID: id, Block: block, Ask: data.Title, Unit: unit,
			Now: &AskedFigure{data.Now.Go, figure(data.Now)}}
		if data.Then != nil {
			q.Then = &AskedFigure{data.Then.Go, figure(*data.Then)}
		}
		return q
	}
	questions := []AskedQuestion{asked(block, unitAllocs, func(f predictFigure) float64 { return f.AllocsPerOp })}
	if data.AsksBytes {
		questions = append(questions, asked(block+bytesSuffix, unitBytes,
			func(f predictFigure) float64 { return f.BytesPerOp }))
	}
	return questions, nil
}

// askedChoices also returns the listing that the question is about, "" for none, and parts of the lines of it that are
// the choices.
func (b *Book) askedChoices(name string) (listing string, lines []string, questions []AskedQuestion, err error) {
	q, err := b.readQuestion(name)
	if err != nil {
		return "", nil, nil, err
	}
	block := "question-" + strings.ReplaceAll(name, "/", "-")
	asked := AskedQuestion{ID: block, Block: block, Ask: oneLine(q.Ask)}
	for i, c := range q.Choices {
		asked.Choices = append(asked.Choices, AskedChoice{oneLine(c.Text), oneLine(c.Why)})
		if c.Right {
			asked.Right = i
		}
		if c.Line != "" {
			lines = append(lines, c.Line)
		}
	}
	listing = q.Listing
	if b.Catalog.Lookup(q.From) == nil && listing == "" {
		listing, _, _ = strings.Cut(q.From, " ")
	}
	return listing, lines, []AskedQuestion{asked}, nil
}

// maxLines are the lines of code beside a question that a projector shows in letters that can be read at the back of a
// room.
const maxLines = 28

// codeBefore returns what a chapter has shown of a listing before a question on one of its pages: the last regions that
// have maxLines together, and at least one. If the question names lines, by parts of them, each region has one of them,
// and if no region has one, functions of the listing stand in their place.
func (x *expander) codeBefore(uses []use, page int, listing string, named []string) (code []AskedCode, err error) {
	b := x.book
	chapter := path.Dir(b.Pages[page].Path)
	lines, seen := 0, map[string]bool{}
	for _, u := range slices.Backward(uses) {
		region := shownRegion(u.directive)
		if region == "" || seen[region] || path.Dir(b.Pages[u.page].Path) != chapter ||
			!slices.Contains(folders([]string{region}), listing) {
			continue
		}
		seen[region] = true
		file, anchor, err := x.read(region)
		if err != nil {
			return nil, err
		}
		text := strings.Trim(file.Text(anchor), "\n")
		if len(named) > 0 && !slices.ContainsFunc(named, func(part string) bool { return strings.Contains(text, part) }) {
			continue
		}
		lines += strings.Count(text, "\n") + 2 // with its caption
		if len(code) > 0 && lines > maxLines {
			break
		}
		code = append(code, AskedCode{path.Join(path.Base(path.Dir(file.Name)), path.Base(file.Name)), text})
	}
	if len(code) == 0 && len(named) > 0 {
		return b.functionsWith(listing, named)
	}
	slices.Reverse(code)
	return code, nil
}

// functionsWith returns the declarations of a listing that have one of the lines, by parts of them.
func (b *Book) functionsWith(listing string, named []string) (code []AskedCode, err error) {
	part, err := bookdata.ReadMeasuredPart(b.Files, listing)
	if err != nil {
		return nil, err
	}
	files, err := part.GoTexts()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range parsed.Decls {
			text := f.Text[d.Pos()-parsed.FileStart : d.End()-parsed.FileStart]
			if slices.ContainsFunc(named, func(part string) bool { return strings.Contains(text, part) }) {
				code = append(code, AskedCode{path.Join(path.Base(listing), f.Name), text})
			}
		}
	}
	return code, nil
}

// shownRegion returns the "PATH.go:ANCHOR" of Go code that a directive shows, "" if it shows none.
func shownRegion(d Directive) string {
	region := ""
	switch d.Name {
	case "listing", "run", "bench":
		region = d.Args[0]
	case "diff": // what it leads to
		region = d.Args[1]
	}
	if name, _, _ := strings.Cut(region, ":"); path.Ext(name) != ".go" {
		return ""
	}
	return region
}
