package command

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestFixedIn tests which releases of Go the overview warns of.
func TestFixedIn(t *testing.T) {
	for release, want := range map[string]string{
		"go1.25.14": "", "go1.26.0": "go1.26.9", "go1.26.8": "go1.26.9", "go1.26.9": "", "go1.26.11": "",
		"go1.27.1": "go1.27.2", "go1.27.2": "", "go1.28.0": "", "devel": "",
	} {
		if got := fixedIn(release); got != want {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}

// TestReleasesInTexts tests that the texts which say which Go to install name the patches that the overview warns of,
// and the first and the last of each range.
func TestReleasesInTexts(t *testing.T) {
	for _, name := range []string{"README.md", "site/content/instructors/server/one-file.md",
		"site/content/instructors/server/deploying.md"} {
		text, err := os.ReadFile("../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		patches := regexp.MustCompile(`1\.26\.0 to (1\.26\.\d+),(?: nor)? 1\.27\.0 or (1\.27\.\d+),`).
			FindStringSubmatch(strings.Join(strings.Fields(string(text)), " "))
		if patches == nil {
			t.Errorf("%s does not name the patches that compile some programs incorrectly", name)
			continue
		}
		for _, last := range patches[1:] {
			var major, minor, patch int
			if _, err := fmt.Sscanf(last, "%d.%d.%d", &major, &minor, &patch); err != nil {
				t.Fatal(err)
			}
			next := fmt.Sprintf("go%d.%d.%d", major, minor, patch+1)
			if got := fixedIn("go" + last); got != next {
				t.Errorf("%s: the last bad patch is %s, but the overview says %q", name, last, got)
			}
		}
	}
}
