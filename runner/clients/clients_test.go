package clients

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestClient(t *testing.T) {
	for _, c := range []struct {
		name, trusted, remote string
		forwarded             []string
		want                  string
	}{
		{"direct", "", "203.0.113.7:1234", nil, "203.0.113.7"},
		{"a network of one's own", "", "[2001:db8:1:2:3:4:5:6]:1234", nil, "2001:db8:1:2::/64"},
		{"IPv4 in IPv6", "", "[::ffff:203.0.113.7]:1234", nil, "203.0.113.7"},
		{"zone", "", "[fe80::1%eth0]:1234", nil, "fe80::/64"},
		{"nobody is trusted", "", "203.0.113.7:1234", []string{"198.51.100.1"}, "203.0.113.7"},
		{"loopback is not trusted by itself", "", "127.0.0.1:1234", []string{"198.51.100.1"}, "127.0.0.1"},
		{"proxy", "127.0.0.1", "127.0.0.1:1234", []string{"198.51.100.1"}, "198.51.100.1"},
		{"proxy by IPv6", "::1,127.0.0.1", "[::1]:1234", []string{"2001:db8::1"}, "2001:db8::/64"},
		{"what the client wrote", "127.0.0.1", "127.0.0.1:1234", []string{"10.9.9.9, 198.51.100.1"}, "198.51.100.1"},
		{"two proxies", "127.0.0.1, 10.0.0.0/8", "127.0.0.1:1234",
			[]string{"1.1.1.1, 198.51.100.1, 10.1.1.1"}, "198.51.100.1"},
		{"two headers", "127.0.0.1,10.0.0.0/8", "127.0.0.1:1234", []string{"198.51.100.1", "10.1.1.1"}, "198.51.100.1"},
		{"with a port", "127.0.0.1", "127.0.0.1:1234", []string{"198.51.100.1:99"}, "198.51.100.1"},
		{"in brackets", "127.0.0.1", "127.0.0.1:1234", []string{"[2001:db8::1]"}, "2001:db8::/64"},
		{"with a port, in brackets", "127.0.0.1", "127.0.0.1:1234", []string{"[2001:db8::1]:99"}, "2001:db8::/64"},
		{"proxies alone", "127.0.0.1,10.0.0.0/8", "127.0.0.1:1234", []string{"10.1.1.1"}, "10.1.1.1"},
		{"no header", "127.0.0.1", "127.0.0.1:1234", nil, "127.0.0.1"},
		{"no address", "127.0.0.1,10.0.0.0/8", "127.0.0.1:1234", []string{"198.51.100.1, unknown, 10.1.1.1"},
			"10.1.1.1"},
		{"not the proxy", "10.0.0.0/8", "203.0.113.7:1234", []string{"198.51.100.1"}, "203.0.113.7"},
		{"no IP", "", "@", nil, "invalid IP"},
	} {
		var proxies Proxies
		if err := proxies.Set(c.trusted); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		for _, f := range c.forwarded {
			r.Header.Add("X-Forwarded-For", f)
		}
		if got := proxies.Client(r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestProxiesRefused(t *testing.T) {
	for _, list := range []string{"localhost", "10.0.0.0/33", "10.0.0", "1.2.3.4;5.6.7.8"} {
		var p Proxies
		if err := p.Set(list); err == nil || !strings.Contains(err.Error(),
			"is not a network: give addresses or networks") {
			t.Errorf("%q: %v, %v", list, p, err)
		}
	}
}

func TestPseudonyms(t *testing.T) {
	p := NewPseudonyms()
	a, b := p.Of("203.0.113.7"), p.Of("203.0.113.8")
	if a == b || a != p.Of("203.0.113.7") || len(a) != 8 {
		t.Errorf("two clients have the pseudonyms %s and %s", a, b)
	}
	if NewPseudonyms().Of("203.0.113.7") == a {
		t.Error("a client has the same pseudonym in two runs")
	}
}

func TestIsLocal(t *testing.T) {
	for _, c := range []struct {
		remote, host, header, value string
		want                        bool
	}{
		{"127.0.0.1:1", "127.0.0.1:8080", "", "", true},
		{"[::1]:1", "[::1]:8080", "", "", true},
		{"[::1]:1", "[::1]", "", "", true},
		{"[::ffff:127.0.0.1]:1", "localhost", "", "", true},
		{"192.168.1.2:1", "localhost", "", "", false},
		{"127.0.0.1:1", "example.com:8080", "", "", false},
		{"127.0.0.1:1", "", "", "", false},
		{"127.0.0.1:1", "localhost", "X-Forwarded-For", "127.0.0.1", false},
		{"127.0.0.1:1", "localhost", "X-Forwarded-For", "", false},
		{"127.0.0.1:1", "localhost", "Forwarded", "x", false},
		{"127.0.0.1:1", "localhost", "Via", "x", false},
		{"@", "localhost", "", "", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr, r.Host = c.remote, c.host
		if c.header != "" {
			r.Header.Set(c.header, c.value)
		}
		if got := IsLocal(r); got != c.want {
			t.Errorf("%s at %s with %s %q: %v", c.remote, c.host, c.header, c.value, got)
		}
	}
}

func TestOrigins(t *testing.T) {
	for _, c := range []struct{ list, want, err string }{
		{"", "", ""},
		{"https://class.example.org", "https://class.example.org", ""},
		{" https://class.example.org , http://localhost:3000,", "https://class.example.org,http://localhost:3000", ""},
		{"https://Class.Example.org:443,http://a:80,https://a:80", "https://class.example.org,http://a,https://a:80",
			""},
		{"https://a,https://A", "https://a", ""},
		{"http://[::1]:3000,http://[::1]:80", "http://[::1]:3000,http://[::1]", ""},
		{"chrome-extension://abcdefg", "chrome-extension://abcdefg", ""},
		{"*", "*", ""},
		{"*,https://a", "", "* stands for every origin: give it alone"},
		{"class.example.org", "", `"class.example.org" has no scheme: give a scheme and a host, such as ` +
			`https://class.example.org or http://localhost:3000`},
		{"localhost:3000", "", `"localhost:3000" has no scheme: `},
		{"127.0.0.1:3000", "", `"127.0.0.1:3000" has no scheme: `},
		{"//a", "", `"//a" has no scheme: `},
		{"https://", "", `"https://" is not an origin: `},
		{"https://:8080", "", `"https://:8080" is not an origin: `},
		{"https://a b", "", `"https://a b" is not an origin: `},
		{"https://a/", "", `"https://a/" has more than an origin, which is a scheme and a host: give https://a`},
		{"https://a:8443/book", "", `"https://a:8443/book" has more than an origin, which is a scheme and a host: ` +
			`give https://a:8443`},
		{"https://a?b", "", `has more than an origin`},
		{"https://a#b", "", `has more than an origin`},
		{"https://a#", "", `has more than an origin`},
		{"https://me@a", "", `"https://me@a" has a user: `},
		{"https://*.example.org", "", `"https://*.example.org" has a *: name each origin, or give * alone for all`},
		{"https://m\u00fcnchen.example", "",
			`has a letter that is not ASCII: give the host as browsers send it, which begins with xn--`},
		{"https://a:", "", `"https://a:" has no port after its colon: `},
		{"https://a:99999", "", `"https://a:99999" has no port after its colon: `},
		{"https://a:x", "", `"https://a:x" is not an origin: `},
		{"null", "", `"null" is the origin of every page in a file or a sandbox: give * to let in pages of any origin`},
	} {
		var o Origins
		err := o.Set(c.list)
		if c.err == "" && (err != nil || o.String() != c.want) || c.err != "" &&
			(err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %q, %v; want %q, %q", c.list, o.String(), err, c.want, c.err)
		}
	}
}

// FuzzOrigins tests that origins that were read can be read again, and allow exactly the origins in their list.
func FuzzOrigins(f *testing.F) {
	for _, seed := range []string{"*", "https://a", "HTTP://A:80,https://[::1]:8443", "null", "a:b",
		"https://a@b", "https://a%00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		var o, again Origins
		if o.Set(list) != nil {
			return
		}
		if err := again.Set(o.String()); err != nil || again.String() != o.String() {
			t.Errorf("%q is read as %q, and that as %q, %v", list, o.String(), again.String(), err)
		}
		for origin := range strings.SplitSeq(o.String(), ",") {
			if origin != "" && !o.Allow(origin) {
				t.Errorf("%q does not let %q in", list, origin)
			}
		}
		if !o.Any() && (o.Allow("") || o.Allow("null") || o.Allow("https://never.example")) {
			t.Errorf("%q lets in others", list)
		}
	})
}

func TestHostsRead(t *testing.T) {
	for _, c := range []struct{ list, want, err string }{
		{"", "", ""},
		{"Class.Example.org., b", "class.example.org,b", ""},
		{"*", "*", ""},
		{"*,a", "", "* stands for every name: give it alone"},
		{"https://a", "", `"https://a" is not a host name: give names without scheme, port and path, such as ` +
			`class.example.org`},
		{"a:8080", "", `"a:8080" is not a host name`},
		{"a/b", "", `"a/b" is not a host name`},
		{"*.a", "", `"*.a" is not a host name`},
	} {
		var h Hosts
		err := h.Set(c.list)
		if c.err == "" && (err != nil || h.String() != c.want || h.IsSet() != (c.want != "")) || c.err != "" &&
			(err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %q, %v; want %q, %q", c.list, h.String(), err, c.want, c.err)
		}
	}
}

// TestSecure recognizes https on a connection, and where a trusted proxy says so.
func TestSecure(t *testing.T) {
	var proxies Proxies
	if err := proxies.Set("10.0.0.1"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, proto string
		tls, want   bool
	}{
		{"192.0.2.1:1", "", false, false},
		{"192.0.2.1:1", "", true, true},
		{"192.0.2.1:1", "https", false, false},
		{"10.0.0.1:1", "https", false, true},
		{"10.0.0.1:1", "HTTPS, http", false, true},
		{"10.0.0.1:1", "http", false, false},
		{"10.0.0.1:1", "", false, false},
		{"", "https", false, false},
	} {
		r := &http.Request{RemoteAddr: c.from, Header: http.Header{"X-Forwarded-Proto": {c.proto}}}
		if c.tls {
			r.TLS = new(tls.ConnectionState)
		}
		if got := proxies.Secure(r); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
