package clients

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Origins are the other origins whose pages may use the runner, such as "https://class.example.org". A *Origins is the
// value of a flag.
type Origins struct {
	any  bool
	list []string // as browsers write them

	protection *http.CrossOriginProtection // trusts list; nil if that is empty
}

// Set reads origins separated by commas, or "*" for all.
func (o *Origins) Set(list string) error {
	origins := Origins{protection: http.NewCrossOriginProtection()}
	for item := range strings.SplitSeq(list, ",") {
		switch item = strings.TrimSpace(item); item {
		case "":
			continue
		case "*":
			origins.any = true
			continue
		}
		origin, err := readOrigin(item)
		if err != nil {
			return err
		}
		if slices.Contains(origins.list, origin) {
			continue
		}
		if err := origins.protection.AddTrustedOrigin(origin); err != nil {
			return fmt.Errorf("%q is not an origin: %w", item, err)
		}
		origins.list = append(origins.list, origin)
	}
	if origins.any && len(origins.list) > 0 {
		return errors.New("* stands for every origin: give it alone")
	}
	*o = origins
	return nil
}

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

// Type returns the name of the flag's value in the help.
func (o *Origins) Type() string { return "origins" }

// String returns the origins in the form that Set reads.
func (o *Origins) String() string {
	if o.any {
		return "*"
	}
	return strings.Join(o.list, ",")
}

// Any reports whether pages of every origin may use the runner.
func (o Origins) Any() bool { return o.any }

// Allow reports whether pages of the given origin, the value of a request's Origin header, may use the runner.
func (o Origins) Allow(origin string) bool { return o.any || slices.Contains(o.list, origin) }

// Protection rejects requests that a browser makes for a page whose origin is neither the runner's own nor one of
// these.
func (o Origins) Protection() *http.CrossOriginProtection {
	return cmp.Or(o.protection, http.NewCrossOriginProtection())
}
