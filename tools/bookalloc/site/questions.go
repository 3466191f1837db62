package site

import (
	"encoding/json"
	"path"

	"onthestack/tools/bookalloc/expand"
)

// QuestionsFile is the site's list of the questions that an instructor can ask a room, a JSON array of
// ChapterQuestions. The instructor's page fetches it, and each page that shows a question fetches its questionFile.
const QuestionsFile = "room/questions.json"

// questionFile is the site's file with a question, as JSON.
func questionFile(id string) string { return "room/questions/" + id + ".json" }

// ChapterQuestions are the questions of a chapter.
type ChapterQuestions struct {
	Chapter   string           `json:"chapter"` // its title
	Questions []ListedQuestion `json:"questions"`
}

// A ListedQuestion is a question in the list.
type ListedQuestion struct {
	ID      string `json:"id"`
	Page    string `json:"page"`    // the title of the page that asks it
	Ask     string `json:"ask"`     // Markdown
	Unit    string `json:"unit"`    // of the figure that is predicted; "" if there are choices
	Choices int    `json:"choices"` // 0 if a figure is predicted
}

// A BookQuestion is a question of the book with what a page needs to ask it. All texts but code are Markdown.
type BookQuestion struct {
	ID      string               `json:"id"`
	Page    string               `json:"page"` // the title of the page that asks it
	Href    string               `json:"href"` // of the question there
	Ask     string               `json:"ask"`
	Unit    string               `json:"unit"` // of the figure that is predicted; "" if there are choices
	Code    []expand.AskedCode   `json:"code"`
	Choices []expand.AskedChoice `json:"choices"`
	Right   int                  `json:"right"` // index of the right choice
	Now     *expand.AskedFigure  `json:"now,omitempty"`
	Then    *expand.AskedFigure  `json:"then,omitempty"` // on the release of the article
}

// addQuestions adds the QuestionsFile and each questionFile to the files of the site.
func addQuestions(book *expand.Book, files map[string][]byte) error {
	list, each, err := questions(book)
	if err != nil {
		return err
	}
	if files["static/"+QuestionsFile], err = json.Marshal(list); err != nil {
		return err
	}
	for id, q := range each {
		if files["static/"+questionFile(id)], err = json.Marshal(q); err != nil {
			return err
		}
	}
	return nil
}

// questions returns the questions by the book's chapters, and the content of each questionFile by the question's ID.
func questions(book *expand.Book) (list []ChapterQuestions, files map[string]BookQuestion, err error) {
	all, err := book.Questions()
	if err != nil {
		return nil, nil, err
	}
	titles := map[string]string{}
	for _, p := range book.Pages {
		titles[p.Path] = expand.Parse(p.Text).Title()
	}
	files = map[string]BookQuestion{}
	byFolder := map[string][]ListedQuestion{}
	for _, q := range all {
		title := titles[q.Page]
		files[q.ID] = BookQuestion{q.ID, title, href(q.Page) + "#" + q.Block, q.Ask, q.Unit, q.Code, q.Choices, q.Right,
			q.Now, q.Then}
		chapter := path.Dir(q.Page)
		byFolder[chapter] = append(byFolder[chapter], ListedQuestion{q.ID, title, q.Ask, q.Unit, len(q.Choices)})
	}
	for _, c := range book.Chapters() {
		if listed := byFolder[c.Folder]; len(listed) > 0 {
			list = append(list, ChapterQuestions{c.Title, listed})
		}
	}
	return list, files, nil
}
