package site

import (
	"path"
	"regexp"

	"onthestack/tools/bookalloc/expand"
)

// ProgramsFile is the site's file with the book's programs, a JSON array of Programs. The editor's page fetches it when
// the reader opens the list of examples.
const ProgramsFile = "play/examples.json"

// Programs are the programs of a chapter.
type Programs struct {
	Chapter  string    `json:"chapter"` // its title
	Programs []Program `json:"programs"`
}

// A Program is the first program that a page of the book shows.
type Program struct {
	Title string `json:"title"` // the page's title
	Text  string `json:"text"`
}

var ran = regexp.MustCompile(`(?m)^[ \t]*\{\{#run (\S+)\}\}$`)

// programs returns the first program of each page. All programs would make the list too long.
func programs(book *expand.Book) (all []Programs, err error) {
	of := map[string]*Programs{}
	for _, c := range book.Chapters() {
		of[c.Folder] = &Programs{Chapter: c.Title}
	}
	for _, p := range book.Pages {
		first := ran.FindStringSubmatch(p.Text)
		chapter := of[path.Dir(p.Path)]
		if first == nil || chapter == nil {
			continue
		}
		text, err := book.Program(first[1])
		if err != nil {
			return nil, err
		}
		chapter.Programs = append(chapter.Programs, Program{expand.Parse(p.Text).Title(), text})
	}
	for _, c := range book.Chapters() {
		if chapter := of[c.Folder]; len(chapter.Programs) > 0 {
			all = append(all, *chapter)
		}
	}
	return all, nil
}
