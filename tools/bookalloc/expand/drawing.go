package expand

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// drawing inserts an SVG file into the page, with its figures as plain text. The result has no blank lines, because
// Markdown ends an HTML block at a blank line.
func (x *expander) drawing(args []string) (string, error) {
	text, err := x.book.withFigures(args[0], func(u use) (string, error) {
		f, err := u.kind.figure(x, u.directive.Args)
		if err != nil {
			return "", fmt.Errorf("%s: %w", u.directive.Text, err)
		}
		return html.EscapeString(f.text), nil
	})
	if err != nil {
		return "", err
	}
	at, err := rootElement(text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", args[0], err)
	}
	svg := fmt.Sprintf("<svg role=\"img\" aria-label=\"%s\"%s", html.EscapeString(args[1]), text[at+len("<svg"):])
	var b strings.Builder
	b.WriteString("<figure class=\"ots-drawing\">\n")
	for line := range strings.Lines(svg) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " \t\r\n") + "\n")
		}
	}
	b.WriteString("</figure>\n")
	return b.String(), nil
}

// withFigures returns the text of a drawing with its directives expanded.
func (b *Book) withFigures(name string, expand func(use) (string, error)) (string, error) {
	text, err := fs.ReadFile(b.Files, name)
	if err != nil {
		return "", err
	}
	return Plain(string(text)).Expand(path.Join(b.Dir, name), func(d Directive) (string, error) {
		if kind, ok := directives[d.Name]; ok && kind.figure == nil {
			return "", fmt.Errorf("%s: a drawing can have only {{#figure}} and {{#classroom}}", d.Text)
		}
		kind, err := lookup(d)
		if err != nil {
			return "", err
		}
		return expand(use{directive: d, kind: kind})
	})
}

var (
	svgTag = regexp.MustCompile(`<svg[\s/>]`)
	anyTag = regexp.MustCompile(`<[\w:.-]+`)
)

// rootElement returns the offset of a drawing's <svg> element. It is an error if the file is not well-formed.
func rootElement(text string) (at int, err error) {
	var root struct {
		XMLName    xml.Name
		Attributes []xml.Attr `xml:",any,attr"`
	}
	if err := xml.Unmarshal([]byte(text), &root); errors.Is(err, io.EOF) {
		return 0, errors.New("no <svg> element")
	} else if err != nil {
		return 0, err
	}
	found := svgTag.FindStringIndex(text)
	if root.XMLName.Local != "svg" || found == nil {
		return 0, fmt.Errorf("its root element is %s>: a drawing is an <svg> element", anyTag.FindString(text))
	}
	for _, a := range root.Attributes {
		if a.Name.Local == "role" || a.Name.Local == "aria-label" {
			return 0, fmt.Errorf("remove %s from its <svg>: the directive's text is its description", a.Name.Local)
		}
	}
	return found[0], nil
}
