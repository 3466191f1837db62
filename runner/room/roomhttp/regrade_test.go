package roomhttp

import "testing"

// TestGradeAgain has one submission graded again, and all of an exercise. The answer says how many that are, also if the
// server has graded them by then, and each submission shows it. Where there is nothing to grade, the answer is a refusal.
func TestGradeAgain(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	graded := func(seat, id string, times float64) func() bool {
		return func() bool {
			s := c.do(200, "GET", at+"/submissions/"+id, seat, "")
			return s["state"] == "graded" && s["regraded"] == times
		}
	}
	refused := c.do(409, "PATCH", at, instructor, `{"regradeEach":"exercise6"}`)
	if refused["error"] == nil {
		t.Errorf("without submissions: %v", refused)
	}
	seats, ids := []string{c.join(code, "Ada"), c.join(code, "Bea")}, []string{}
	for _, seat := range seats {
		ids = append(ids, c.do(202, "POST", at+"/submissions", seat, solution)["id"].(string))
	}
	for i, id := range ids {
		c.until(graded(seats[i], id, 0))
	}
	if n := c.do(200, "PATCH", at, instructor, `{"regrade":"`+ids[0]+`"}`)["regrading"]; n != 1.0 {
		t.Errorf("one submission: %v are graded again", n)
	}
	c.until(graded(seats[0], ids[0], 1))
	if n := c.do(200, "PATCH", at, instructor, `{"regradeEach":"exercise6"}`)["regrading"]; n != 2.0 {
		t.Errorf("all submissions: %v are graded again", n)
	}
	c.until(graded(seats[0], ids[0], 2))
	c.until(graded(seats[1], ids[1], 1))
	if n := c.do(200, "PATCH", at, instructor, `{"close":"exercise6"}`)["regrading"]; n != nil {
		t.Errorf("another change: %v are graded again", n)
	}
	c.do(400, "PATCH", at, instructor, `{"regradeEach":"exercise7"}`)
	c.do(400, "PATCH", at, instructor, `{"regrade":"nothing"}`)
}
