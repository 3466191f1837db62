package clients

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
)

// Hosts are the names by which browsers may ask for the runner. A *Hosts is the value of a flag.
//
// Any web site can have its name lead to an address of its reader's machine or network, and browsers then take the runner there
// for a part of that site (DNS rebinding). Only the Host that the request names tells.
type Hosts struct {
	any   bool
	names []string // in small letters
}

// Set reads names separated by commas, or "*" for all.
func (h *Hosts) Set(list string) error {
	var hosts Hosts
	for item := range strings.SplitSeq(list, ",") {
		switch item = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(item)), "."); {
		case item == "":
		case item == "*":
			hosts.any = true
		case strings.ContainsAny(item, ":/@*? "):
			return fmt.Errorf("%q is no name of a host: give names without scheme, port and path, such as class.example.org", item)
		case !slices.Contains(hosts.names, item):
			hosts.names = append(hosts.names, item)
		}
	}
	if hosts.any && len(hosts.names) > 0 {
		return errors.New("* stands for every name: give it alone")
	}
	*h = hosts
	return nil
}

// Type is what the flag's value is called.
func (h *Hosts) Type() string { return "names" }

// String writes the names as Set reads them.
func (h *Hosts) String() string {
	if h.any {
		return "*"
	}
	return strings.Join(h.names, ",")
}

// Named reports whether any names were given.
func (h Hosts) Named() bool { return h.any || len(h.names) > 0 }

// Allow reports whether a request for that Host, with a port or without, is one for the runner. Addresses always are, since no
// web site can have one lead elsewhere, and so are the names that browsers keep for the machine itself. A browser always sends a
// Host.
func (h Hosts) Allow(host string) bool {
	if h.any || host == "" {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	_, isAddr := parseAddr(host)
	return isAddr || host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(h.names, host)
}

// Passed reports whether one of the proxies passed the request on, with whatever Host it was asked for.
func (p Proxies) Passed(r *http.Request) bool {
	at, ok := parseAddr(r.RemoteAddr)
	return ok && p.trust(at)
}
