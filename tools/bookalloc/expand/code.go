package expand

import (
	"encoding/xml"
	"errors"
	"fmt"
	"go/format"
	"html"
	"io"
	"io/fs"
	"path"
	"strings"

	"onthestack/tools/bookalloc/listing"
)

// read reads "PATH.go:ANCHOR".
func (x *expander) read(arg string) (*listing.File, listing.Lines, error) {
	name, anchor, _ := strings.Cut(arg, ":")
	file, err := listing.Read(x.book.Files, name)
	if err != nil {
		return nil, listing.Lines{}, err
	}
	lines, err := file.Region(anchor)
	return file, lines, err
}

func (x *expander) listing(args []string) (string, error) {
	file, lines, err := x.read(args[0])
	if err != nil {
		return "", err
	}
	return x.shown(file, lines), nil
}

// shown is a fence with its caption.
func (x *expander) shown(file *listing.File, lines listing.Lines) string {
	// Listings of a chapter often have the same base name; their folder tells them apart.
	short := path.Join(path.Base(path.Dir(file.Name)), path.Base(file.Name))
	caption := fmt.Sprintf("<p class=\"ots-caption\" title=\"%s\"><code>%s</code>, %s</p>\n\n",
		html.EscapeString(path.Join(x.book.Dir, file.Name)), html.EscapeString(short), lines)
	return caption + fence(strings.TrimPrefix(path.Ext(file.Name), "."), file.Text(lines))
}

// run shows a region of a program; the data block has all of it.
func (x *expander) run(args []string) (string, error) {
	file, lines, err := x.read(args[0])
	if err != nil {
		return "", err
	}
	whole, err := file.Region("")
	if err != nil {
		return "", err
	}
	body, err := format.Source([]byte(file.Text(whole)))
	if err != nil {
		return "", err
	}
	if !strings.Contains("\n"+string(body), "\npackage main\n") {
		return "", fmt.Errorf("%s is not package main: it cannot be run", file.Name)
	}
	data, err := dataBlock(map[string]string{"body": string(body)})
	if err != nil {
		return "", err
	}
	return "<div class=\"ots-program\">\n" + data + "\n" + x.shown(file, lines) + "\n</div>\n", nil
}

// drawing puts an SVG file into the page. Markdown ends an HTML block at a blank line, so there are none in it.
func (x *expander) drawing(args []string) (string, error) {
	text, err := fs.ReadFile(x.book.Files, args[0])
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

// rootElement returns where the <svg> of a drawing begins, and proves that the file is well-formed.
func rootElement(text []byte) (at int, err error) {
	at = -1
	decoder := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		offset := int(decoder.InputOffset())
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		start, ok := token.(xml.StartElement)
		if !ok || at >= 0 {
			continue
		}
		tag, _, _ := strings.Cut(string(text[offset:decoder.InputOffset()]), ">")
		if name := strings.Fields(tag)[0]; strings.TrimSuffix(name, "/") != "<svg" {
			return 0, fmt.Errorf("its root element is %s>: a drawing is an <svg> element", name)
		}
		for _, a := range start.Attr {
			if a.Name.Local == "role" || a.Name.Local == "aria-label" {
				return 0, fmt.Errorf("remove %s from its <svg>: the directive's text is its description", a.Name.Local)
			}
		}
		at = offset
	}
	if at < 0 {
		return 0, errors.New("no <svg> element")
	}
	return at, nil
}
