package site

import (
	"fmt"
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
