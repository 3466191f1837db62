package budget

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"onthestack/internal/present"
)

const (
	prefix = "//checkalloc:"
	known  = "known are allocs<=N, bytes<=N, bench=PATTERN and noescape"
)

// read parses the text after the prefix. Its Directive lacks a place. It returns the problem if it cannot.
func read(rest string) (d Directive, noescape bool, problem string) {
	if strings.TrimLeft(rest, " \t") != rest {
		return d, false, "there must be no space after the colon: write " + prefix + strings.TrimSpace(rest)
	}
	fields := strings.Fields(rest)
	if i := slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(f, "//") }); i >= 0 {
		fields = fields[:i] // a comment on the directive
	}
	if len(fields) == 0 {
		return d, false, "nothing follows the colon: " + known
	}
	d.Text = prefix + strings.Join(fields, " ")
	for i, f := range fields {
		switch {
		case f != "noescape":
			problem = d.add(f, slices.Concat(fields[i+1:], []string{""})[0])
		case noescape:
			problem = "noescape appears twice"
		}
		if noescape = noescape || f == "noescape"; problem != "" {
			return d, noescape, problem
		}
	}
	limits := d.Allocs != nil || d.Bytes != nil
	switch {
	case noescape && (limits || d.Bench != ""):
		problem = "noescape applies to a line, limits apply to a benchmark: write a directive for each"
	case d.Bench != "" && !limits:
		problem = "bench= selects sub-benchmarks, but nothing is limited: add allocs<=N or bytes<=N"
	}
	return d, noescape, problem
}

// add parses an argument other than noescape; next is the one after it.
func (d *Directive) add(field, next string) (problem string) {
	if p, ok := strings.CutPrefix(field, "bench="); ok {
		switch {
		case d.Bench != "":
			return "bench= appears twice: write one directive for each pattern, or bench=A|B"
		case p == "":
			return "bench= lacks its pattern: write bench=Large/.*, or leave it out"
		}
		var err error
		if d.sub, err = compile(p); err != nil {
			return "bench=" + shorten(p) + ": " + err.Error()
		}
		d.Bench = p
		return ""
	}
	parts := limitParts.FindStringSubmatch(field)
	name, op, value := parts[1], parts[2], parts[3]
	limit := map[string]**float64{"allocs": &d.Allocs, "bytes": &d.Bytes}[name]
	switch {
	case limit == nil:
		return unknown(name, field)
	case op == "" && next != "" && strings.ContainsAny(next[:1], operators), op != "" && value == "" && next != "":
		return fmt.Sprintf("there must be no space around <=: write %s<=N", name)
	case op != "<=":
		return fmt.Sprintf("%s can only be limited by <=: write %s<=N, not %s", name, name, shorten(field))
	case *limit != nil:
		return fmt.Sprintf("%s<= appears twice", name)
	}
	n, problem := number(name, value)
	if problem == "" {
		*limit = &n
	}
	return problem
}

// operators are the characters of comparisons, including characters that people write by mistake.
const operators = "<>=≤≥:!~"

var (
	limitParts = regexp.MustCompile(`(?s)^([^` + operators + `]*)([` + operators + `]*)(.*)$`) // "allocs", "<=", "1"
	decimal    = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
)

// number parses a limit.
func number(name, value string) (n float64, problem string) {
	if !decimal.MatchString(value) {
		switch {
		case strings.Contains(value, ","):
			return 0, "a space separates limits, no comma: write allocs<=1 bytes<=64"
		case name == "bytes":
			return 0, fmt.Sprintf("bytes<=%s: write a whole number of bytes without a unit, such as bytes<=64",
				shorten(value))
		}
		return 0, fmt.Sprintf("allocs<=%s: write a number such as allocs<=1 or allocs<=0.1", shorten(value))
	}
	if strings.Contains(value, ".") && name == "bytes" {
		return 0, fmt.Sprintf("bytes<=%s: bytes are whole", shorten(value))
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, fmt.Sprintf("%s<=%s is too large", name, shorten(value))
	}
	return n, ""
}

// likelyNames maps names that people are likely to write to the names that exist.
var likelyNames = map[string]string{
	"alloc": "allocs", "allocs/op": "allocs", "allocations": "allocs", "mallocs": "allocs",
	"byte": "bytes", "b": "bytes", "b/op": "bytes", "bytes/op": "bytes",
	"no-escape": "noescape", "no_escape": "noescape", "noescapes": "noescape", "noheap": "noescape",
	"escape":    "noescape",
	"nomove":    "noescape",
	"benchmark": "bench", "run": "bench", "sub": "bench",
}

func unknown(name, field string) string {
	lower := strings.ToLower(name)
	right, ok := likelyNames[lower]
	switch {
	case ok:
	case lower == "allocs" || lower == "bytes" || lower == "noescape" || lower == "bench":
		right = lower
	case lower == "ns" || lower == "ns/op" || lower == "time":
		return fmt.Sprintf("%s: time cannot be limited, because it differs between machines; %s", shorten(field), known)
	default:
		return fmt.Sprintf("%q is unknown: %s", shorten(field), known)
	}
	return fmt.Sprintf("%q is unknown: do you mean %s? %s", shorten(name), right, present.Capital(known))
}

// shorten shortens text that is quoted in a message.
func shorten(s string) string { return present.Shorten(s, 60) }
