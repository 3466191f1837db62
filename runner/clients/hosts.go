package clients

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
)

// Hosts are the host names under which browsers may request the runner. A *Hosts is the value of a flag.
//
// Any web site can make its name resolve to an address of its reader's machine or network. Browsers then take the
// runner at that address for a part of that site (DNS rebinding). Only the request's Host header shows it.
type Hosts struct {
	any   bool
	names []string // in lower case
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
			return fmt.Errorf("%q is not a host name: give names without scheme, port and path, such as "+
				"class.example.org", item)
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

// Type returns the name of the flag's value in the help.
func (h *Hosts) Type() string { return "names" }

// String returns the names in the form that Set reads.
func (h *Hosts) String() string {
	if h.any {
		return "*"
	}
	return strings.Join(h.names, ",")
}

// IsSet reports whether any names were given.
func (h Hosts) IsSet() bool { return h.any || len(h.names) > 0 }

// Allow reports whether the runner may answer a request for host, which may have a port. Addresses are always allowed,
// because no web site can redirect them, and so are localhost and the names below it, which browsers resolve to their
// own machine. A browser always sends a Host.
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

// Forwarded reports whether the request came through one of the proxies.
func (p Proxies) Forwarded(r *http.Request) bool {
	at, ok := parseAddr(r.RemoteAddr)
	return ok && p.trust(at)
}
