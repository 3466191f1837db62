package site

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"onthestack/tools/bookalloc/expand"
)

// A Chapter is a chapter of the book.
type Chapter struct {
	ID      string   `json:"id"`
	Title   string   `json:"title"`
	Href    string   `json:"href"`
	Article *Article `json:"article"` // that it follows; null for none
}

// An Article is an article that the book follows.
type Article struct {
	Title  string `json:"title"` // HTML: what the book's credits call it
	Author string `json:"author"`
	Year   int    `json:"year"`
}

// creditsPage names the articles, in a table with a row for each: chapter, article, year.
const creditsPage = "credits.md"

func chapters(book *expand.Book) (all []Chapter, err error) {
	articles := map[string]*Article{}
	for _, p := range book.Pages {
		if p.Path == creditsPage {
			if articles, err = credits(p.Text); err != nil {
				return nil, fmt.Errorf("%s/%s:%w", book.Dir, creditsPage, err)
			}
		}
	}
	for _, c := range book.Chapters() {
		all = append(all, Chapter{c.Folder, c.Title, href(c.Folder + "/README.md"), articles[c.Folder]})
		delete(articles, c.Folder)
	}
	for folder := range articles {
		return nil, fmt.Errorf("%s/%s: no chapter %s: correct the link", book.Dir, creditsPage, folder)
	}
	return all, nil
}

var (
	// credit is a row of the credits: "| [Title](folder/README.md) | *Article*, what it is, by Author | 2017 |".
	credit = regexp.MustCompile(`^\|\s*\[[^]]+\]\(([^)]+)/README\.md\)\s*\|\s*(.+?),\s+by\s+(.+?)\s*\|\s*(\d{4})\s*\|$`)
	// row matches any row of the table with a link, which must then match credit.
	row       = regexp.MustCompile(`^\|\s*\[`)
	cursive   = regexp.MustCompile(`\*([^*]+)\*`)
	creditRow = "| [Chapter](folder/README.md) | *Article*, by Author | 2017 |"
)

// credits returns the articles by the chapter's folder. Errors begin with the line.
func credits(text string) (map[string]*Article, error) {
	found := map[string]*Article{}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if !row.MatchString(line) {
			continue
		}
		m := credit.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%d: the row does not have the form %q: rewrite it", i+1, creditRow)
		}
		year, err := strconv.Atoi(m[4])
		if err != nil {
			return nil, fmt.Errorf("%d: %w", i+1, err)
		}
		found[m[1]] = &Article{Title: cursive.ReplaceAllString(expand.Prose(m[2]), "<cite>$1</cite>"), Author: m[3],
			Year: year}
	}
	return found, nil
}

// A Drawing is a drawing of the book, or of the pages around it.
type Drawing struct {
	Name    string `json:"name"`    // its file in the book's folder
	Chapter string `json:"chapter"` // the chapter's folder
	Book    string `json:"book"`    // URL of the page that shows it
	Page    string `json:"page"`    // the title of that page
	Block   string `json:"block"`   // HTML of the figure
}

var (
	drawn      = regexp.MustCompile(`(?m)^[ \t]*(\{\{#drawing (\S+) .*\}\})$`)
	frontTitle = regexp.MustCompile(`(?m)\A---\n(?:.+\n)*?title: "?(.+?)"?$`)
)

// drawings returns the drawings that the book shows, in the order of its pages, followed by the drawings of the site's
// texts.
func drawings(book *expand.Book, texts []expand.Page) ([]Drawing, error) {
	var all []Drawing
	var blocks []expand.Page
	add := func(p expand.Page, url, title string) {
		for _, m := range drawn.FindAllStringSubmatch(p.Text, -1) {
			all = append(all, Drawing{Name: m[2], Chapter: path.Dir(m[2]), Book: url, Page: title})
			blocks = append(blocks, expand.Page{Path: p.Path, Text: m[1] + "\n"})
		}
	}
	for _, p := range book.Pages {
		add(p, href(p.Path), expand.Parse(p.Text).Title())
	}
	for _, p := range texts {
		if title := frontTitle.FindStringSubmatch(p.Text); title != nil {
			add(p, "/"+strings.TrimSuffix(strings.TrimSuffix(p.Path, ".md"), "/_index")+"/", title[1])
		}
	}
	expanded, err := book.Aside(blocks)
	if err != nil {
		return nil, err
	}
	for i := range all {
		all[i].Block = expanded[i]
	}
	return all, nil
}

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
	byFolder := map[string]*Programs{}
	for _, c := range book.Chapters() {
		byFolder[c.Folder] = &Programs{Chapter: c.Title}
	}
	for _, p := range book.Pages {
		first := ran.FindStringSubmatch(p.Text)
		chapter := byFolder[path.Dir(p.Path)]
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
		if chapter := byFolder[c.Folder]; len(chapter.Programs) > 0 {
			all = append(all, *chapter)
		}
	}
	return all, nil
}
