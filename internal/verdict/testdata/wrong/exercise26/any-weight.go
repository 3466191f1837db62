// The weight may have ten digits.
package gate

import (
	"regexp"
	"strconv"
)

type Weighing struct {
	Belt   int
	Parcel string
	Grams  int
	Note   string
}

type Parser struct {
	line *regexp.Regexp
}

func NewParser() *Parser {
	return &Parser{
		regexp.MustCompile(`^belt (\d{1,9}): ([A-Z]{2}\d{9}) (\d{1,10})g(?: (.*))?$`),
	}
}

func (p *Parser) Parse(line string) (w Weighing, ok bool) {
	m := p.line.FindStringSubmatchIndex(line)
	if m == nil {
		return Weighing{}, false
	}
	belt, _ := strconv.Atoi(line[m[2]:m[3]])
	grams, _ := strconv.Atoi(line[m[6]:m[7]])
	w = Weighing{Belt: belt, Parcel: line[m[4]:m[5]], Grams: grams}
	if m[8] >= 0 {
		w.Note = line[m[8]:m[9]]
	}
	return w, true
}
