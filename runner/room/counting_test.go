package room

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// A try is a submission around a deadline.
type try struct {
	late  bool
	score float64 // of the grade; negative if it is not graded
}

// rank orders tries by what counts first. A try that is not graded has the rank 0.
func (t try) rank() int {
	ranks := map[try]int{{false, 1}: 4, {true, 1}: 3, {false, 0}: 2, {true, 0}: 1}
	return ranks[t]
}

// TestCounting goes through all sequences of three submissions around a deadline, which are graded in every order. The
// grid, the gradebook as JSON and as CSV, and the archive take score, pass and lateness from the same submission.
func TestCounting(t *testing.T) {
	all := []try{{false, 0}, {true, 0}, {false, 1}, {true, 1}, {false, -1}, {true, -1}}
	ids := []string{"aaaaaa", "bbbbbb", "cccccc"}
	for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		for n := range len(all) * len(all) * len(all) {
			tries := []try{all[n%6], all[n/6%6], all[n/36]}
			events := []Event{created, joined}
			for i, c := range tries {
				events = append(events, submitted(ids[i], c.late))
			}
			for _, i := range order {
				if tries[i].score >= 0 {
					events = append(events, graded(ids[i], 0, tries[i].score))
				}
			}
			id, want, highest := "", try{}, 0
			for i, c := range tries {
				if rank := c.rank(); rank > highest {
					id, want, highest = ids[i], c, rank
				}
			}
			checkCounting(t, fmt.Sprint(tries, order), roomOf(events...), id, want)
		}
	}
}

func checkCounting(t *testing.T, name string, r *Room, id string, want try) {
	t.Helper()
	pass := want.score == 1
	if w := r.Participants["ada1"].Work["exercise6"]; w.Best != id || w.Passed != pass || w.Late != want.late {
		t.Errorf("%s: the grid has %q, passed %t, late %t; want %q, %+v", name, w.Best, w.Passed, w.Late, id, want)
	}
	var rows []Row
	text, err := json.Marshal(r.Gradebook())
	if err == nil {
		err = json.Unmarshal(text, &rows)
	}
	if err != nil || len(rows) != 1 || rows[0].Submission != id || rows[0].Score != want.score ||
		rows[0].Passed != pass || rows[0].Late != want.late {
		t.Errorf("%s: %v, the gradebook has %s; want %q, %+v", name, err, text, id, want)
	}
	var lines strings.Builder
	if err := WriteCSV(&lines, rows); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(lines.String())).ReadAll()
	cells := fmt.Sprintf("%v %t %t %t", want.score, pass, false, want.late)
	if err != nil || len(records) != 2 || strings.Join(records[1][3:7], " ") != cells {
		t.Errorf("%s: %v, CSV has %q; want %s", name, err, records, cells)
	}
	marked := ""
	add := func(name string, _ time.Time) (io.Writer, error) {
		if folder, _, ok := strings.Cut(name, "-counts/"); ok {
			marked += folder[len(folder)-6:]
		}
		return io.Discard, nil
	}
	err = WriteArchive(add, r, func(string) (map[string]string, error) { return map[string]string{"a.go": ""}, nil })
	if err != nil || marked != id {
		t.Errorf("%s: %v, the archive marks %q; want %q", name, err, marked, id)
	}
}
