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

// Origins are the origins whose pages may use the runner beside its own: "https://class.example.org". A *Origins is the value of
// a flag.
type Origins struct {
	any  bool
	list []string // as browsers write them

	protection *http.CrossOriginProtection // that knows list; nil where that is empty
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
			return fmt.Errorf("%q is no origin: %w", item, err)
		}
		origins.list = append(origins.list, origin)
	}
	if origins.any && len(origins.list) > 0 {
		return errors.New("* stands for every origin: give it alone")
	}
	*o = origins
	return nil
}

// readOrigin writes an origin as browsers do: in small letters, without the port that its scheme has anyway.
func readOrigin(text string) (string, error) {
	const example = "give a scheme and a host, such as https://class.example.org or http://localhost:3000"
	if text == "null" {
		return "", errors.New(`"null" is the origin of every page in a file or a sandbox: give * to let in pages of any origin`)
	}
	u, err := url.Parse(text)
	switch {
	case err != nil && !strings.Contains(text, "://"), err == nil && (u.Scheme == "" || u.Host == "" && u.Opaque != ""):
		// "localhost:3000" is a URL with the scheme localhost, and "127.0.0.1:3000" is none.
		return "", fmt.Errorf("%q has no scheme: %s", text, example)
	case err != nil || u.Hostname() == "":
		return "", fmt.Errorf("%q is no origin: %s", text, example)
	case u.User != nil:
		return "", fmt.Errorf("%q has a user: %s", text, example)
	case u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(text, "#"):
		return "", fmt.Errorf("%q has more than an origin, which is a scheme and a host: give %s://%s", text, u.Scheme, u.Host)
	case strings.Contains(u.Host, "*"):
		return "", fmt.Errorf("%q has a *: name each origin, or give * alone for all", text)
	}
	for _, letter := range u.Host {
		if letter <= ' ' || letter > '~' {
			return "", fmt.Errorf("%q has a letter that is not ASCII: give the host as browsers send it, which begins with xn--", text)
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

// Type is what the flag's value is called.
func (o *Origins) Type() string { return "origins" }

// String writes the origins as Set reads them.
func (o *Origins) String() string {
	if o.any {
		return "*"
	}
	return strings.Join(o.list, ",")
}

// Any reports whether pages of every origin may use the runner.
func (o Origins) Any() bool { return o.any }

// Allow reports whether pages of that origin, as a request's header Origin names it, may use the runner.
func (o Origins) Allow(origin string) bool { return o.any || slices.Contains(o.list, origin) }

// Protection finds the requests that a browser makes for pages of other origins than the runner's own and these.
func (o Origins) Protection() *http.CrossOriginProtection {
	return cmp.Or(o.protection, http.NewCrossOriginProtection())
}
