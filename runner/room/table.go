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
// Moodle. It is empty, or "-", if nothing is graded.
func WriteTable(w io.Writer, format TableFormat, r *Room, title func(exercise string) string) error {
	if _, err := io.WriteString(w, mark); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	head, person := plainRow, plainPerson
	scale, none := 1.0, ""
	switch format {
	case Moodle:
		head, person = []string{"Name", "ID number", "Email address"}, moodlePerson
		scale, none = moodleMaximum, "-"
	case Canvas:
		head, person = []string{"Student", "ID", "SIS User ID", "SIS Login ID", "Section"}, canvasPerson
	}
	titles := each(r.Exercises, func(id string) string { return plainCell(title(id)) })
	c.Write(append(head[:len(head):len(head)], titles...))
	if format == Canvas {
		points := each(r.Exercises, func(string) string { return "1" })
		c.Write(append([]string{"    Points Possible", "", "", "", ""}, points...))
	}
	for _, p := range r.Recorded() {
		c.Write(append(person(r, p), each(r.Exercises, func(id string) string {
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

func plainPerson(r *Room, p *Participant) []string {
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

func moodlePerson(_ *Room, p *Participant) []string {
	number, mail := plainCell(p.Identifier), ""
	if strings.Contains(p.Identifier, "@") {
		number, mail = "", number
	}
	return []string{plainCell(p.Name), number, mail}
}

func canvasPerson(_ *Room, p *Participant) []string {
	identifier := plainCell(p.Identifier)
	return []string{plainCell(p.Name), "", identifier, identifier, ""}
}

// each returns what f returns for each of the texts.
func each(texts []string, f func(string) string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = f(text)
	}
	return all
}
