package room

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// mark is the byte order mark. Spreadsheets take a CSV file for UTF-8 only if it begins with it. Canvas writes it on
// request and looks for "Student" anywhere in the first cell (gradebook_importer.rb); Moodle removes it
// (trim_utf8_bom in csvlib.class.php).
const mark = "\ufeff"

// A TableFormat is a form of the gradebook as a table: a row a person, a column an exercise.
type TableFormat string

const (
	// Plain is for a person who reads it in a spreadsheet.
	Plain TableFormat = "table"
	// Moodle is what Moodle imports from Grades, Import, CSV file; see https://docs.moodle.org/en/Grade_import. The
	// columns that identify somebody are named as in its export, "ID number" and "Email address". The instructor maps
	// one of the two, and Moodle skips a row in which it is empty. Grades are of 100, the maximum of an item that the
	// import makes, and "-" stands for none.
	Moodle TableFormat = "moodle"
	// Canvas is what Canvas imports from Gradebook, Import; see "How do I import grades in the Gradebook?" in its
	// instructor guide. The columns before the assignments and the row "Points Possible" are as in its export. Canvas
	// looks for a student by ID, SIS User ID, SIS Login ID and name, in this order; an identifier stands in both columns
	// of the SIS, since only the instructor knows which of the two it is. An empty cell changes no grade.
	Canvas TableFormat = "canvas"
)

// TableFormats returns the formats.
func TableFormats() []TableFormat { return []TableFormat{Plain, Moodle, Canvas} }

// moodleMaximum is the grade of a pass in Moodle.
const moodleMaximum = 100

// WriteTable writes the gradebook as CSV with a row for each person, by name. title returns the heading of an
// exercise's column. The cell of an exercise has the score of the submission that counts, from 0 to 1, or to 100 for
// Moodle. It is empty, or "-", if nothing is graded. Moodle and Canvas get no identifier that could give somebody
// another one's grades; see Ambiguous.
func WriteTable(w io.Writer, format TableFormat, r *Room, title func(exercise string) string) error {
	if _, err := io.WriteString(w, mark); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	head, person := plainRow, r.plainPerson
	scale, none := 1.0, ""
	ambiguous := r.Ambiguous()
	switch format {
	case Moodle:
		head = []string{"Name", "ID number", "Email address"}
		person = func(p *Participant) []string { return moodlePerson(imported(p, ambiguous)) }
		scale, none = moodleMaximum, "-"
	case Canvas:
		head = []string{"Student", "ID", "SIS User ID", "SIS Login ID", "Section"}
		person = func(p *Participant) []string { return canvasPerson(imported(p, ambiguous)) }
	}
	titles := each(r.Exercises, func(id string) string { return plainCell(title(id)) })
	c.Write(append(head[:len(head):len(head)], titles...))
	if format == Canvas {
		points := each(r.Exercises, func(string) string { return "1" })
		c.Write(append([]string{"    Points Possible", "", "", "", ""}, points...))
	}
	for _, p := range r.Recorded() {
		c.Write(append(person(p), each(r.Exercises, func(id string) string {
			s := r.Counting(p.ID, id)
			if s == nil {
				return none
			}
			return strconv.FormatFloat(s.Grade.Score*scale, 'f', -1, 64)
		})...))
	}
	c.Flush()
	return c.Error() // also the first error of Write
}

// plainRow are the columns before the exercises.
var plainRow = []string{"name", "identifier", "participant", "passed", "late", "attempts", "removed"}

func (r *Room) plainPerson(p *Participant) []string {
	passed, late, attempts := 0, 0, 0
	for _, id := range r.Exercises {
		if w := p.Work[id]; w != nil {
			attempts += w.Attempts
		}
		if s := r.Counting(p.ID, id); s != nil && s.Grade.Pass {
			passed++
			if s.Late {
				late++
			}
		}
	}
	return []string{plainCell(p.Name), plainCell(p.Identifier), p.ID, strconv.Itoa(passed), strconv.Itoa(late),
		strconv.Itoa(attempts), strconv.FormatBool(p.Removed)}
}

func moodlePerson(name, identifier string) []string {
	if strings.Contains(identifier, "@") {
		return []string{name, "", identifier}
	}
	return []string{name, identifier, ""}
}

func canvasPerson(name, identifier string) []string {
	return []string{name, "", identifier, identifier, ""}
}

// imported returns the cells of somebody's name and identifier in a table for another system. People type their
// identifiers themselves, so several may have the same one, by mistake or to change another one's grades. None of them
// then has an identifier, and nor has somebody who was removed. The name says so, by which Canvas then finds no student.
func imported(p *Participant, ambiguous map[string]bool) (name, identifier string) {
	switch {
	case p.Removed:
		return plainCell(p.Name + " (removed)"), ""
	case ambiguous[p.ID]:
		return plainCell(p.Name + " (identifier of several people)"), ""
	}
	return plainCell(p.Name), plainCell(p.Identifier)
}

// Ambiguous returns the IDs of the participants whose identifier another one has, too. Those who were removed, or whose
// row was merged into another one, do not count.
func (r *Room) Ambiguous() map[string]bool {
	by := map[string][]string{}
	for _, p := range r.Participants {
		if p.Identifier != "" && !p.Removed && !p.Preview && p.Merged == "" {
			key := appearance(p.Identifier)
			by[key] = append(by[key], p.ID)
		}
	}
	ambiguous := map[string]bool{}
	for _, ids := range by {
		for _, id := range ids {
			if len(ids) > 1 {
				ambiguous[id] = true
			}
		}
	}
	return ambiguous
}

// each returns what f returns for each of the texts.
func each(texts []string, f func(string) string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = f(text)
	}
	return all
}
