// Package site reads the plans of workshops, which are pages of the site, for the server that opens a plan's room.
package site

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// folder has the plans, as pages with "layout: plan" in their front matter.
const folder = "content/instructors"

//go:embed content/instructors/*.md
var pages embed.FS

// A Plan is what a workshop does, as far as its room needs it.
type Plan struct {
	Name      string // of the page: "half-day"
	Title     string
	Exercises []string // whose pages its parts link to, in the order of the plan
}

// Plans returns the plans in the order of their pages: the one with the least weight is first.
func Plans() ([]Plan, error) {
	files, err := pages.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	texts, weights := map[string]string{}, map[string]int{}
	var names []string
	for _, file := range files {
		text, err := pages.ReadFile(path.Join(folder, file.Name()))
		if err != nil {
			return nil, err
		}
		name, front := strings.TrimSuffix(file.Name(), ".md"), frontMatter(string(text))
		if front["layout"] != "plan" {
			continue
		}
		if weights[name], err = strconv.Atoi(front["weight"]); err != nil {
			return nil, fmt.Errorf("the plan %s: its weight is %q, not a number", name, front["weight"])
		}
		texts[name] = string(text)
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return weights[a] - weights[b] })
	var plans []Plan
	for _, name := range names {
		p := Plan{Name: name, Title: frontMatter(texts[name])["title"]}
		if p.Exercises, err = exercises(texts, name, 0); err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	return plans, nil
}

// frontMatter returns the fields between the first two lines of dashes. A plan has only plain ones.
func frontMatter(text string) map[string]string {
	fields := map[string]string{}
	_, text, _ = strings.Cut(text, "---\n")
	text, _, _ = strings.Cut(text, "\n---\n")
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		fields[name] = strings.Trim(strings.TrimSpace(value), `"`)
	}
	return fields
}

// part is what a plan's text has that leads to exercises: a part that is all of another plan, or a link to the page of
// an exercise. A link that opens a likely mistake there is none.
var part = regexp.MustCompile(`\{\{< block [^>]*from="([^"]+)"|\]\(/exercises/(exercise[0-9]+)/\)`)

// exercises returns the exercises of the plan with that name, each once. depth counts the plans around it.
func exercises(texts map[string]string, name string, depth int) (ids []string, err error) {
	text, ok := texts[name]
	if !ok || depth > len(texts) {
		return nil, fmt.Errorf("there is no plan %q, or it contains itself", name)
	}
	add := func(more ...string) {
		for _, id := range more {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	for _, m := range part.FindAllStringSubmatch(text, -1) {
		if m[1] == "" {
			add(m[2])
			continue
		}
		inner, err := exercises(texts, m[1], depth+1)
		if err != nil {
			return nil, err
		}
		add(inner...)
	}
	return ids, nil
}
