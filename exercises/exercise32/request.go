package cachekey

import "strings"

// A Request is what a service needs to know of a request to
// find the answer in its cache.
type Request struct {
	Method string
	Path   string
	Tags   []string // such as "tenant=acme"
}

// Parse returns the request that a line of the access log is
// about: its method, its path, and any number of tags,
// separated by single spaces.
func Parse(line string) Request {
	fields := strings.Split(line, " ")
	if len(fields) < 2 {
		return Request{Method: line}
	}
	return Request{fields[0], fields[1], fields[2:]}
}
