package clients

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// names are the value of a flag: a list, or * for all.
type names struct {
	any  bool
	list []string // as browsers write them
}

// set reads a list of what, separated by commas, or "*" for all. read returns an item as browsers write it.
func (n *names) set(text, what string, read func(item string) (string, error)) error {
	var given names
	for item := range strings.SplitSeq(text, ",") {
		switch item = strings.TrimSpace(item); item {
		case "":
		case "*":
			given.any = true
		default:
			name, err := read(item)
			if err != nil {
				return err
			}
			if name != "" && !slices.Contains(given.list, name) {
				given.list = append(given.list, name)
			}
		}
	}
	if given.any && len(given.list) > 0 {
		return fmt.Errorf("* stands for every %s: give it alone", what)
	}
	*n = given
	return nil
}

// String returns the list in the form that set reads.
func (n *names) String() string {
	if n.any {
		return "*"
	}
	return strings.Join(n.list, ",")
}

// Origins are the other origins whose pages may use the runner, such as "https://class.example.org". A *Origins is the
// value of a flag.
type Origins struct {
	names
	protection *http.CrossOriginProtection // trusts list; nil if that is empty
}

// Set reads origins separated by commas, or "*" for all.
func (o *Origins) Set(list string) error {
	protection := http.NewCrossOriginProtection()
	err := o.set(list, "origin", func(item string) (string, error) {
		origin, err := readOrigin(item)
		if err != nil {
			return "", err
		}
		if err := protection.AddTrustedOrigin(origin); err != nil {
			return "", fmt.Errorf("%q is not an origin: %w", item, err)
		}
		return origin, nil
	})
	if err == nil {
		o.protection = protection
	}
	return err
}

func (o *Origins) Type() string { return "origins" }

// readOrigin returns an origin in the form that browsers send: in lower case, without the default port of its scheme.
func readOrigin(text string) (string, error) {
	const example = "give a scheme and a host, such as https://class.example.org or http://localhost:3000"
	if text == "null" {
		return "",
			errors.New(`"null" is the origin of every page in a file or a sandbox: give * to let in pages of any ` +
				`origin`)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil && !strings.Contains(text, "://"), err == nil && (u.Scheme == "" || u.Host == "" && u.Opaque != ""):
		// url.Parse takes "localhost:3000" for a URL with the scheme localhost, and rejects "127.0.0.1:3000".
		return "", fmt.Errorf("%q has no scheme: %s", text, example)
	case err != nil || u.Hostname() == "":
		return "", fmt.Errorf("%q is not an origin: %s", text, example)
	case u.User != nil:
		return "", fmt.Errorf("%q has a user: %s", text, example)
	case u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(text, "#"):
		return "", fmt.Errorf("%q has more than an origin, which is a scheme and a host: give %s://%s",
			text, u.Scheme, u.Host)
	case strings.Contains(u.Host, "*"):
		return "", fmt.Errorf("%q has a *: name each origin, or give * alone for all", text)
	}
	for _, letter := range u.Host {
		if letter <= ' ' || letter > '~' {
			return "", fmt.Errorf("%q has a letter that is not ASCII: give the host as browsers send it, which "+
				"begins with xn--",
				text)
		}
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Host), u.Port()
	if number, err := strconv.Atoi(port); port != "" && (err != nil || number > 65535) || strings.HasSuffix(host, ":") {
		return "", fmt.Errorf("%q has no port after its colon: %s", text, example)
	}
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		host = strings.TrimSuffix(host, ":"+port)
	}
	return scheme + "://" + host, nil
}

func (o Origins) Any() bool { return o.any }

// Allow reports whether pages of the given origin, the value of a request's Origin header, may use the runner.
func (o Origins) Allow(origin string) bool { return o.any || slices.Contains(o.list, origin) }

// Protection rejects requests that a browser makes for a page whose origin is neither the runner's own nor one of
// these.
func (o Origins) Protection() *http.CrossOriginProtection {
	return cmp.Or(o.protection, http.NewCrossOriginProtection())
}

// Hosts are the host names under which browsers may request the runner. A *Hosts is the value of a flag.
//
// Any web site can make its name resolve to an address of its reader's machine or network. Browsers then take the
// runner at that address for a part of that site (DNS rebinding). Only the request's Host header shows it.
type Hosts struct{ names }

// Set reads names separated by commas, or "*" for all.
func (h *Hosts) Set(list string) error {
	return h.set(list, "name", func(item string) (string, error) {
		if strings.ContainsAny(item, ":/@*? ") {
			return "", fmt.Errorf("%q is not a host name: give names without scheme, port and path, such as "+
				"class.example.org", strings.ToLower(item))
		}
		return strings.TrimSuffix(strings.ToLower(item), "."), nil
	})
}

func (h *Hosts) Type() string { return "names" }

func (h Hosts) IsSet() bool { return h.any || len(h.list) > 0 }

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
	return isAddr || host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(h.list, host)
}
