package expand

import (
	"cmp"
	"fmt"
	"path"
	"slices"
)

// exercises finds the page that shows each exercise.
func (b *Book) exercises() (places map[string]string, problems []error) {
	places = map[string]string{}
	for _, u := range b.uses().uses { // uses.err is reported when the page is expanded
		if u.directive.Name != "exercise" {
			continue
		}
		name, id := path.Join(b.Dir, b.Pages[u.page].Path), u.directive.Args[0]
		if at, ok := places[id]; ok {
			problems = append(problems, fmt.Errorf("%s:%d: %s: %s/%s shows this exercise already: link there", name,
				u.directive.Line, u.directive.Text, b.Dir, at))
		}
		places[id] = b.Pages[u.page].Path
	}
	return places, problems
}

// A location is the page and the directive that show a listing.
type location struct {
	page  string
	order int // counts the directives of the book
}

// firstShown returns where a listing is first shown. It prefers a page of the listing's own chapter, and a directive
// that shows more than a figure or a history. ok is false for a listing that no page names.
func (b *Book) firstShown(listing string) (found location, ok bool) {
	chapter := chapterOf(listing)
	best := -1
	read := b.uses()
	for _, i := range read.about[listing] {
		u := read.uses[i]
		name, score := b.Pages[u.page].Path, 0
		if path.Dir(name) == chapter {
			score += 2
		}
		if u.kind.figure == nil && u.directive.Name != "history" {
			score++
		}
		if score > best {
			best, found = score, location{name, i}
		}
	}
	return found, best >= 0
}

// chapterOf returns the folder of the chapter that a listing belongs to.
func chapterOf(listing string) string { return path.Dir(path.Dir(listing)) }

// byPlace sorts listings in the order in which the book shows them. Listings that it does not show come last.
func (b *Book) byPlace(listings []string) []string {
	order := map[string]int{}
	for _, name := range listings {
		order[name] = len(b.uses().uses)
		if p, ok := b.firstShown(name); ok {
			order[name] = p.order
		}
	}
	return slices.SortedStableFunc(slices.Values(listings),
		func(x, y string) int { return cmp.Compare(order[x], order[y]) })
}

// href returns a link from the current page to another, or "" if they are the same.
func (x *expander) href(to string) string {
	switch {
	case x.outside != nil:
		return x.outside.Book + HTMLPath(to)
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
	case x.outside != nil:
		return x.outside.Exercise(id)
	default:
		return relative(x.page, place) + "#" + id
	}
}
