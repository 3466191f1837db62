package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readers has the function that reads the links of a file, by extension.
var readers = map[string]func([]byte) (source, error){".html": readPage, ".css": readStyle, ".xml": readFeed}

// linkAttributes are the attributes with an address; srcset and imagesrcset have several.
var linkAttributes = map[string]bool{
	"href": true, "src": true, "poster": true, "data": true, "action": true, "formaction": true, "cite": true,
	"background": true,
}

// fullProperties are the meta elements whose content is an absolute URL for other sites.
var fullProperties = map[string]bool{"og:url": true, "og:image": true, "twitter:image": true}

// readPage reads a page as a browser without scripts does.
func readPage(text []byte) (source, error) {
	doc, err := html.ParseWithOptions(bytes.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		return source{}, err
	}
	s := source{anchors: map[string]bool{"top": true}}
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		if n.DataAtom == atom.Base && s.base == "" {
			s.base = attribute(n, "href")
			continue
		}
		if n.DataAtom == atom.Meta {
			if fullProperties[attribute(n, "property")] || fullProperties[attribute(n, "name")] {
				s.links = append(s.links, link{raw: attribute(n, "content"), full: true, internal: true})
			}
			continue
		}
		canonical := n.DataAtom == atom.Link && attribute(n, "rel") == "canonical"
		for _, a := range n.Attr {
			switch {
			case a.Key == "id", a.Key == "name" && n.DataAtom == atom.A:
				s.anchors[a.Val] = true
			case a.Key == "srcset", a.Key == "imagesrcset":
				for candidate := range strings.SplitSeq(a.Val, ",") {
					if fields := strings.Fields(candidate); len(fields) > 0 {
						s.links = append(s.links, link{raw: fields[0]})
					}
				}
			case linkAttributes[a.Key] && !(a.Key == "data" && n.DataAtom != atom.Object):
				s.links = append(s.links, link{raw: strings.TrimSpace(a.Val), full: canonical, internal: canonical})
			}
		}
	}
	return s, nil
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// styleURL matches the addresses that a style sheet loads. Minified style sheets have no comments.
var styleURL = regexp.MustCompile(`url\(\s*(?:"([^"]*)"|'([^']*)'|([^"')\s]+))\s*\)`)

func readStyle(text []byte) (source, error) {
	var s source
	for _, m := range styleURL.FindAllSubmatch(text, -1) {
		s.links = append(s.links, link{raw: string(bytes.Join(m[1:], nil))})
	}
	return s, nil
}

// readFeed reads a feed or a sitemap. All their addresses are absolute, including those in the HTML of a description.
func readFeed(text []byte) (source, error) {
	var s source
	var inside []string
	var chars strings.Builder
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return source{}, fmt.Errorf("not well-formed XML: %w", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			chars.Reset()
			for _, a := range token.Attr {
				switch {
				case a.Name.Local == "href":
					s.links = append(s.links, link{raw: a.Value, full: true, internal: true})
				case a.Name.Local == "isPermaLink" && a.Value == "false":
					name = "id" // the guid is not a link
				}
			}
			inside = append(inside, name)
		case xml.CharData:
			chars.Write(token)
		case xml.EndElement:
			switch name := inside[len(inside)-1]; name {
			case "link", "loc", "guid", "url", "comments":
				if word := strings.TrimSpace(chars.String()); word != "" {
					s.links = append(s.links, link{raw: word, full: true, internal: true})
				}
			case "description", "encoded", "summary", "content":
				page, err := readPage([]byte(chars.String()))
				if err != nil {
					return source{}, err
				}
				for _, l := range page.links {
					s.links = append(s.links, link{raw: l.raw, full: true})
				}
			}
			inside = inside[:len(inside)-1]
			chars.Reset()
		}
	}
}
