package roomhttp

import (
	"archive/zip"
	"io"
	"strings"
	"testing"
)

// TestCounting hands in a failing solution in time and a passing one late. The page, the gradebook and JUnit say alike
// that it passed late, also after the submissions were graded again.
func TestCounting(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	at := "/api/rooms/" + code
	ada := c.join(code, "Ada")
	graded := func(id string) func() bool {
		return func() bool { return c.do(200, "GET", at+"/submissions/"+id, ada, "")["state"] == "graded" }
	}
	submit := func(text string) {
		t.Helper()
		body := `{"exercise":"exercise6","files":{"stream.go":"` + text + `"}}`
		c.until(graded(c.do(202, "POST", at+"/submissions", ada, body)["id"].(string)))
	}
	submit("wrong")
	c.do(200, "PATCH", at, instructor, `{"deadline":"2020-01-01T00:00:00Z"}`)
	submit("right")
	check := func() {
		t.Helper()
		row := c.do(200, "GET", at, ada, "")["participants"].([]any)[0].(map[string]any)
		work := row["work"].(map[string]any)["exercise6"].(map[string]any)
		if work["passed"] != true || work["late"] != true {
			t.Errorf("the page has %v", work)
		}
		line := strings.Split(c.fetch(at+"/grades.csv", instructor), "\n")[1]
		if !strings.Contains(line, ",exercise6,1,true,false,true,2,") {
			t.Errorf("CSV has %q", line)
		}
		text := c.fetch(at+"/grades/junit.zip", instructor)
		z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
		if err != nil || len(z.File) != 1 {
			t.Fatal(err)
		}
		f, err := z.File[0].Open()
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if doc, err := io.ReadAll(f); err != nil || !strings.Contains(string(doc), `failures="0"`) {
			t.Errorf("JUnit has %s, %v", doc, err)
		}
	}
	check()
	c.do(200, "PATCH", at, instructor, `{"regradeEach":"exercise6"}`)
	c.until(func() bool {
		row := c.do(200, "GET", at, ada, "")["participants"].([]any)[0].(map[string]any)
		return row["work"].(map[string]any)["exercise6"].(map[string]any)["state"] == "graded"
	})
	check()
}
