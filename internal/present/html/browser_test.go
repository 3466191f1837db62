package html

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// browser opens a page, and returns what became of the document and what the browser logged.
func browser(t *testing.T, page, fragment string) (document, log string) {
	t.Helper()
	program := ""
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			program = path
			break
		}
	}
	if program == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("no Chromium: set CHROMIUM, or put it on PATH")
		}
		t.Skip("NOT TESTED: the page in a browser. No Chromium: set CHROMIUM, or put it on PATH")
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "page.html")
	if err := os.WriteFile(name, []byte(page), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	// The page is our own and the profile new, so the browser's sandbox, which needs rights of its own, may be absent.
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions",
		"--no-first-run", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--enable-logging=stderr", "--virtual-time-budget=1000", "--dump-dom",
		"file://"+filepath.ToSlash(name)+fragment)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &errs, time.Second
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, errs.String())
	}
	return out.String(), errs.String()
}

// TestBrowser proves that in a browser no script of a hostile source or profile runs, the page's own does, and nothing is
// refused or wrong.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: the page in a browser, with -short")
	}
	text := strings.Join(payloads, "\n")
	for name, test := range map[string]struct{ page, fragment string }{
		"hostile":         {write(t, hostile(text)), ""},
		"hostile profile": {writeProfile(t, profiled(10, text)), "#s0L3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, log := browser(t, test.page, test.fragment)
			if strings.Contains(log, "CONSOLE") {
				t.Errorf("the browser complains:\n%s", log)
			}
			title, _, _ := strings.Cut(document[strings.Index(document, "<title>")+len("<title>"):], "</title>")
			if !strings.HasSuffix(title, "allocations") {
				t.Errorf("the title became %q", title)
			}
			for tag, n := range map[string]int{"<script": 1, "<style": 1, "<img": 0, "<b>b</b>": 0} {
				if got := strings.Count(document, tag); got != n {
					t.Errorf("%d times %s", got, tag)
				}
			}
		})
	}
	t.Run("fold", func(t *testing.T) {
		t.Parallel()
		page := ""
		for _, s := range recorded(t) {
			if s.name == "at-run-time" {
				page = write(t, s)
			}
		}
		document, log := browser(t, page, "#s0L20")
		if strings.Contains(log, "CONSOLE") {
			t.Errorf("the browser complains:\n%s", log)
		}
		before, _, found := strings.Cut(document, `id="s0L20"`)
		if !found {
			t.Fatal("no line 20 in the page")
		}
		fold := before[strings.LastIndex(before, "<details"):]
		if !strings.Contains(fold, `open=""`) {
			t.Errorf("the line that the address names is folded: %.200s", fold)
		}
	})
	t.Run("policy", func(t *testing.T) {
		t.Parallel()
		// A script that got into the page would be refused: this proves that a complaint is seen above.
		page := strings.Replace(write(t, large(20, 0, 1)), "</main>",
			`<script>document.title="owned"</script></main>`, 1)
		document, log := browser(t, page, "")
		if !strings.Contains(log, "CONSOLE") || strings.Contains(document, "<title>owned") {
			t.Errorf("a foreign script is not refused:\n%s", log)
		}
	})
}
