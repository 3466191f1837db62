package survey

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// hugoSite are the configuration, the templates and one page of a site. The page is the pattern of the others.
//
//go:embed testdata/hugo.txtar
var hugoSite []byte

// hugoPages is how many pages the site has.
const hugoPages = 600

// profileHugo builds a site with sections, taxonomies, shortcodes, tables and code, and minifies it.
func profileHugo(ctx context.Context, r run) error {
	site := filepath.Join(r.dir, "site")
	if err := writeSite(site); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	defer cancel()
	cmd := r.command(ctx, "--source", site, "--destination", filepath.Join(r.dir, "public"), "--noBuildLock",
		"--minify", "--panicOnWarning", "--profile-mem", r.profile)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// writeSite writes the site into a folder.
func writeSite(dir string) error {
	for _, f := range txtar.Parse(hugoSite).Files {
		if f.Name != "page.md" {
			if err := writeFile(filepath.Join(dir, filepath.FromSlash(f.Name)), f.Data); err != nil {
				return err
			}
			continue
		}
		for i := range hugoPages {
			text := strings.NewReplacer("NUMBER", fmt.Sprint(i), "DAY", fmt.Sprintf("%02d", 1+i%28),
				"TAG", fmt.Sprint("tag", i%17), "CATEGORY", fmt.Sprint("category", i%5)).Replace(string(f.Data))
			name := filepath.Join(dir, "content", fmt.Sprint("section", i%6), fmt.Sprintf("page%d.md", i))
			if err := writeFile(name, []byte(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeFile(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}
