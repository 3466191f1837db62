package room

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables in testdata")

// tabled is a room with a row of each kind.
func tabled() *Room {
	join := func(id, name, identifier string) Event {
		return Event{Kind: Joined, Participant: id, Name: name, Identifier: identifier}
	}
	hand := func(participant, exercise, id string, late bool) Event {
		return Event{Kind: Submitted, Participant: participant, Exercise: exercise, Submission: id, Late: late}
	}
	pair := join("paul1", "Paul", "paul@example.edu")
	pair.Partner = &Person{ID: "quinn1", Name: "Quinn", Identifier: "4711"}
	return roomOf(Event{Kind: Created, Title: "Monday", Exercises: []string{"exercise6", "exercise7"}},
		join("ada1", "Ada", "ada@example.edu"), join("eve1", "=1+1", "+49 30"), join("zhen1", "Женя", "0123456"),
		join("gone1", "Gone", ""), pair, Event{Kind: Joined, Participant: "view1", Name: "Preview", Preview: true},
		hand("ada1", "exercise6", "a", false), graded("a", 0, 1), hand("ada1", "exercise7", "b", false), graded("b", 0, 0),
		hand("zhen1", "exercise6", "c", true), graded("c", 0, 1), hand("zhen1", "exercise7", "d", false),
		hand("quinn1", "exercise7", "e", false), graded("e", 0, 1), hand("view1", "exercise6", "f", false),
		graded("f", 0, 1), Event{Kind: Removed, Participant: "gone1"})
}

func table(t *testing.T, format TableFormat) string {
	t.Helper()
	var text bytes.Buffer
	title := func(exercise string) string { return exercise + ": Sizes, \"known\"" }
	if err := WriteTable(&text, format, tabled(), title); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestTables compares the tables with testdata; -update rewrites it.
func TestTables(t *testing.T) {
	for _, format := range TableFormats() {
		golden := filepath.Join("testdata", string(format)+".csv")
		got := table(t, format)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s: got\n%s\nwant\n%s\ngo test ./runner/room -update rewrites it", format, got, want)
		}
	}
}

// rows reads a table as a program does that knows of the byte order mark.
func rows(t *testing.T, format TableFormat) (all []map[string]string) {
	t.Helper()
	text, marked := strings.CutPrefix(table(t, format), "\ufeff")
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll() // an error if a row has more or fewer columns
	if err != nil || !marked {
		t.Fatalf("%s: %v, byte order mark %t", format, err, marked)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		all = append(all, row)
	}
	return all
}

// TestMoodle reads the table as Moodle's importer does: a column identifies somebody, and a row in which it is empty is
// skipped; a grade is a number up to the maximum, or "-" for none. The columns of the example in Moodle's own tests of
// the import (grade/import/csv/tests/load_data_test.php) begin with "First name", Surname, "ID number", Institution,
// Department, "Email address", and the assignments follow them.
func TestMoodle(t *testing.T) {
	mails, numbers := map[string]string{}, map[string]string{}
	const item = "exercise7: Sizes, \"known\""
	for _, row := range rows(t, Moodle) {
		if mail := row["Email address"]; mail != "" {
			mails[mail] = row[item]
		}
		if number := row["ID number"]; number != "" {
			numbers[number] = row[item]
		}
	}
	if len(mails) != 2 || mails["ada@example.edu"] != "0" || mails["paul@example.edu"] != "100" {
		t.Errorf("by e-mail address: %v", mails)
	}
	if len(numbers) != 3 || numbers["0123456"] != "-" || numbers["4711"] != "100" || numbers["'+49 30"] != "-" {
		t.Errorf("by number: %v", numbers)
	}
}

// TestCanvas compares the columns with the example in Canvas' own tests of the import (gradebook_importer_spec.rb):
// the header with five columns about the student, the row with the points, and a row each in which an ID of the SIS, a
// login or a name finds the student.
func TestCanvas(t *testing.T) {
	text := table(t, Canvas)
	if !strings.HasPrefix(text, "\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,") ||
		!strings.Contains(text, "\n\"    Points Possible\",,,,,1,1\n") {
		t.Errorf("the table begins with\n%.200s", text)
	}
	students := rows(t, Canvas)[1:]
	find := func(column, value string) map[string]string {
		i := slices.IndexFunc(students, func(row map[string]string) bool { return row[column] == value })
		if i < 0 {
			t.Fatalf("no student has the %s %q", column, value)
		}
		return students[i]
	}
	const item = "exercise6: Sizes, \"known\""
	for _, row := range []map[string]string{find("SIS User ID", "0123456"), find("SIS Login ID", "ada@example.edu"),
		find("Student", "Ada")} {
		if row[item] != "1" || row["ID"] != "" {
			t.Errorf("%v", row)
		}
	}
	if row := find("Student", "Quinn"); row[item] != "" {
		t.Errorf("who handed in nothing has %q", row[item])
	}
}

// TestSeparators joins with names and identifiers that have what separates cells in some spreadsheets. No format of the
// gradebook contains it, so that a line has as many cells as its heading.
func TestSeparators(t *testing.T) {
	join := func(id, name string) Event {
		return Event{Kind: Joined, Participant: id, Name: name, Identifier: name}
	}
	r := roomOf(created, join("1", "x;=1+1;y"), join("2", "Eve;;;1"), join("3", "x\t=1"), join("4", `a";"=1`))
	texts := map[string]*bytes.Buffer{"csv": {}}
	if err := WriteCSV(texts["csv"], r.Gradebook()); err != nil {
		t.Fatal(err)
	}
	for _, format := range TableFormats() {
		texts[string(format)] = &bytes.Buffer{}
		if err := WriteTable(texts[string(format)], format, r, func(string) string { return "Sizes; known" }); err != nil {
			t.Fatal(err)
		}
	}
	for format, text := range texts {
		if strings.ContainsAny(text.String(), ";\t") || strings.Count(text.String(), "\n") < 5 {
			t.Errorf("%s has\n%s", format, text)
		}
	}
}

// TestAmbiguous has somebody join with another one's identifier, and fail. Neither of them has it in a table for another
// system, until the other row is removed or merged.
func TestAmbiguous(t *testing.T) {
	eve := join("eve1", "Eve")
	ada := join("ada1", "Ada")
	ada.Identifier, eve.Identifier = "ada@example.edu", "Ada@example.edu\u200d"
	events := []Event{created, ada, eve, at("ada1", "exercise6", "a"), graded("a", 0, 1), at("eve1", "exercise6", "b"),
		graded("b", 0, 0)}
	for _, c := range []struct {
		name   string
		more   []Event
		moodle string
		canvas string
	}{
		{"both are there", nil,
			"Ada (identifier of several people),,,100\nEve (identifier of several people),,,0\n",
			"Ada (identifier of several people),,,,,1\nEve (identifier of several people),,,,,0\n"},
		{"one is removed", []Event{{Kind: Removed, Participant: "eve1"}},
			"Ada,,ada@example.edu,100\nEve (removed),,,0\n",
			"Ada,,ada@example.edu,ada@example.edu,,1\nEve (removed),,,,,0\n"},
		{"they are merged", []Event{{Kind: Merged, Participant: "eve1", Into: "ada1"}},
			"Ada,,ada@example.edu,100\n", "Ada,,ada@example.edu,ada@example.edu,,1\n"},
	} {
		r := roomOf(append(slices.Clone(events), c.more...)...)
		for format, want := range map[TableFormat]string{Moodle: c.moodle, Canvas: c.canvas} {
			var text strings.Builder
			if err := WriteTable(&text, format, r, func(id string) string { return id }); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(text.String(), "\n"+want) {
				t.Errorf("%s: %s has\n%s\nwant at its end\n%s", c.name, format, &text, want)
			}
		}
	}
}
