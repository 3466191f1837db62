package roomhttp

import (
	"archive/zip"
	"io"
	"strings"
	"testing"
)

// documents returns the documents of a format, by the participant's name.
func (c class) documents(code, format string) map[string]string {
	c.t.Helper()
	text := c.fetch("/api/rooms/"+code+"/grades/"+format+".zip", instructor)
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil {
		c.t.Fatal(err)
	}
	all := map[string]string{}
	for _, file := range z.File {
		f, err := file.Open()
		if err != nil {
			c.t.Fatal(err)
		}
		doc, err := io.ReadAll(f)
		if err != nil {
			c.t.Fatal(err)
		}
		name, _, _ := strings.Cut(file.Name, "-")
		all[name] = string(doc)
	}
	return all
}

// TestMissing tests that every format tells somebody who handed in nothing from somebody whose code breaks a rule.
func TestMissing(t *testing.T) {
	c, _ := start(t, t.TempDir())
	code := c.open()
	ada := c.join(code, "Ada")
	c.join(code, "Ben")
	at := "/api/rooms/" + code
	id := c.do(202, "POST", at+"/submissions", ada, solution)["id"].(string)
	c.until(func() bool { return c.do(200, "GET", at+"/submissions/"+id, ada, "")["state"] == "graded" })
	for _, format := range formats() {
		docs := c.documents(code, format)
		if !strings.Contains(docs["Ben"], "nothing was handed in") || strings.Contains(docs["Ben"], "policy") {
			t.Errorf("%s has of Ben\n%s", format, docs["Ben"])
		}
		if strings.Contains(docs["Ada"], "nothing was handed in") {
			t.Errorf("%s has of Ada\n%s", format, docs["Ada"])
		}
	}
	if doc := c.documents(code, "junit")["Ben"]; !strings.Contains(doc, `failures="1"`) ||
		!strings.Contains(doc, `<failure type="missing"`) {
		t.Errorf("JUnit has\n%s", doc)
	}
}
