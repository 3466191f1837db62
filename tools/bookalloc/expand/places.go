package expand

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// exercises finds the page that shows each exercise.
func (b *Book) exercises() (places map[string]string, problems []error) {
	places = map[string]string{}
	for _, u := range b.uses() { // unread is reported when the page is expanded
		if u.directive.Name != "exercise" {
			continue
		}
		id := u.directive.Args[0]
		if page, ok := places[id]; ok {
			problems = append(problems, fmt.Errorf("%s: %s/%s shows this exercise already: link there", b.at(u), b.Dir,
				page))
		}
		places[id] = b.Pages[u.page].Path
	}
	return places, problems
}

// firstShown returns the page that first shows a listing, and the number of the directive in the book. It prefers a
// page of the listing's own chapter, and a directive that shows more than a figure or a history. For a listing that no
// page names, it returns "" and the number of all directives.
func (b *Book) firstShown(listing string) (page string, order int) {
	uses, chapter, best := b.uses(), chapterOf(listing), -1
	order = len(uses)
	for i, u := range uses {
		if !u.about(listing) {
			continue
		}
		name, score := b.Pages[u.page].Path, 0
		if path.Dir(name) == chapter {
			score += 2
		}
		if u.kind.figure == nil && u.directive.Name != "history" {
			score++
		}
		if score > best {
			best, page, order = score, name, i
		}
	}
	return page, order
}

// chapterEnds returns the index of the last page of each chapter with predictions, by the chapter's folder. Predictions
// that were wrong are asked again there.
func (b *Book) chapterEnds() map[string]int {
	last, ends := map[string]int{}, map[string]int{}
	for i, p := range b.Pages {
		last[path.Dir(p.Path)] = i
	}
	for _, u := range b.uses() {
		// The pages in the book's own folder are no chapter. What is asked on the last page is not far enough away.
		chapter := path.Dir(b.Pages[u.page].Path)
		if u.directive.Name == "predict" && chapter != "." && last[chapter] != u.page {
			ends[chapter] = last[chapter]
		}
	}
	return ends
}

// chapterOf returns the folder of the chapter that a listing belongs to.
func chapterOf(listing string) string { return path.Dir(path.Dir(listing)) }

// byPlace sorts listings in the order in which the book shows them. Listings that it does not show come last.
func (b *Book) byPlace(listings []string) []string {
	order := map[string]int{}
	for _, name := range listings {
		_, order[name] = b.firstShown(name)
	}
	return slices.SortedStableFunc(slices.Values(listings),
		func(x, y string) int { return cmp.Compare(order[x], order[y]) })
}

// href returns a link from the current page to another, or "" if they are the same.
func (x *expander) href(to string) string {
	switch {
	case x.outside:
		return BookURL + HTMLPath(to)
	case to == x.page:
		return ""
	}
	return relative(x.page, to)
}

// exerciseHref returns a link to the page that shows an exercise, or "" if no page does.
func (x *expander) exerciseHref(id string) string {
	switch place := x.places[id]; {
	case place == "":
		return ""
	case x.outside:
		return "/exercises/" + id + "/"
	default:
		return relative(x.page, place) + "#" + id
	}
}

// HTMLPath returns the path, in the built book's folder, of the file that mdBook makes from a page.
func HTMLPath(page string) string {
	dir, file := path.Split(page)
	if file == "README.md" {
		file = "index.md"
	}
	return dir + strings.TrimSuffix(file, ".md") + ".html"
}

// relative returns the path of the HTML of page to, relative to the HTML of page from.
func relative(from, to string) string {
	rel, err := filepath.Rel(path.Dir(HTMLPath(from)), HTMLPath(to))
	if err != nil {
		panic(err) // both are relative to the book's folder
	}
	return filepath.ToSlash(rel)
}
