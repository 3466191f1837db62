package room

import (
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Row is a line of the gradebook: a participant's submission for an exercise that counts.
type Row struct {
	Participant string    `json:"participant"` // ID
	Name        string    `json:"name"`
	Exercise    string    `json:"exercise"`
	Score       float64   `json:"score"` // from 0 to 1; 0 without a submission
	Passed      bool      `json:"passed"`
	Provisional bool      `json:"provisional"`
	Late        bool      `json:"late"`
	Attempts    int       `json:"attempts"`
	Submission  string    `json:"submission,omitempty"`
	Submitted   time.Time `json:"submitted,omitzero"`
	Removed     bool      `json:"removed,omitempty"` // whether the instructor removed the participant
	// Identifier is an e-mail address or a number, as the participant typed it; or "".
	Identifier string `json:"identifier,omitempty"`
}

// Gradebook returns a row for each participant and exercise, the participants by name. A participant without a
// submission has rows too, so that a missing submission is seen.
func (r *Room) Gradebook() (rows []Row) {
	for _, p := range r.Recorded() {
		for _, exercise := range r.Exercises {
			row := Row{Participant: p.ID, Name: p.Name, Exercise: exercise, Removed: p.Removed,
				Identifier: p.Identifier}
			if w := p.Work[exercise]; w != nil {
				row.Attempts = w.Attempts
			}
			if s := r.Counting(p.ID, exercise); s != nil {
				row.Score, row.Passed, row.Provisional = s.Grade.Score, s.Grade.Pass, s.Grade.Provisional
				row.Late, row.Submission, row.Submitted = s.Late, s.ID, s.Time
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// WriteCSV writes the gradebook as CSV with a header line. A name that a spreadsheet might take for a formula has an
// apostrophe before it: participants choose their names.
func WriteCSV(w io.Writer, rows []Row) error {
	if _, err := io.WriteString(w, mark); err != nil {
		return err
	}
	c := csv.NewWriter(w)
	c.Write([]string{"name", "participant", "exercise", "score", "passed", "provisional", "late", "attempts",
		"submitted", "removed", "identifier"})
	for _, r := range rows {
		submitted := ""
		if !r.Submitted.IsZero() {
			submitted = r.Submitted.UTC().Format(time.RFC3339)
		}
		c.Write([]string{plainCell(r.Name), r.Participant, r.Exercise, strconv.FormatFloat(r.Score, 'f', -1, 64),
			strconv.FormatBool(r.Passed), strconv.FormatBool(r.Provisional), strconv.FormatBool(r.Late),
			strconv.Itoa(r.Attempts), submitted, strconv.FormatBool(r.Removed), plainCell(r.Identifier)})
	}
	c.Flush()
	return c.Error() // also the first error of Write
}

// otherSeparators replaces what separates cells in a spreadsheet that is set up so: a semicolon where numbers have a
// decimal comma, or a tab. CSV quotes the comma, and quotes do not protect a cell where another sign separates them.
var otherSeparators = strings.NewReplacer(";", ",", "\t", " ")

// plainCell returns a text that is one cell in every spreadsheet, and no formula: with an apostrophe before it, unless
// the text begins with a letter or a digit that shows. Spreadsheets skip invisible characters before the sign of a
// formula, and some take wide forms of it.
func plainCell(text string) string {
	text = otherSeparators.Replace(text)
	first, _ := utf8.DecodeRuneInString(text)
	if text == "" || (unicode.IsLetter(first) || unicode.IsDigit(first)) && isVisible(first) {
		return text
	}
	return "'" + text
}

// An AddFile begins a file of an archive, which is written to the writer.
type AddFile func(name string, modified time.Time) (io.Writer, error)

// WriteArchive writes what was handed in to an archive: NAME/exercise6/2026-11-23T10-15-00Z-ID/stream.go. The name of
// the folder of a submission that counts ends in "-counts". Exercises that the room no longer has are in it, too. files
// returns the files of a submission.
func WriteArchive(add AddFile, r *Room, files func(submission string) (map[string]string, error)) error {
	for _, p := range r.Recorded() {
		for _, exercise := range r.HandedIn(p) {
			counting := r.Counting(p.ID, exercise)
			for _, s := range r.ByParticipant(p.ID, exercise) {
				texts, err := files(s.ID)
				if err != nil {
					return err
				}
				folder := path.Join(p.FileName(), exercise, s.Time.UTC().Format("2006-01-02T15-04-05Z")+"-"+s.ID[:6])
				if s == counting {
					folder += "-counts"
				}
				for name, text := range texts {
					f, err := add(path.Join(folder, fileName(name)), s.Time)
					if err == nil {
						_, err = io.WriteString(f, text)
					}
					if err != nil {
						return fmt.Errorf("write the archive: %w", err)
					}
				}
			}
		}
	}
	return nil
}

// FileName returns a name for the participant's folder, which no other participant has.
func (p *Participant) FileName() string { return fileName(p.Name) + "-" + p.ID[:min(4, len(p.ID))] }

// fileName returns a name that is one element of a path on every system. Names of different participants may become
// the same; their folders differ by the participant's ID.
func fileName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, name)
	if clean = strings.Trim(clean, " ."); clean == "" {
		return "_"
	}
	return clean
}
