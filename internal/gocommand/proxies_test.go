package gocommand

import "testing"

// TestHideProxies proves that messages of the go command name modules and versions, and no proxy.
func TestHideProxies(t *testing.T) {
	t.Setenv("GOPROXY", "https://me:secret@modules.class.example/go/,direct")
	for _, c := range []struct{ text, want string }{
		{`a.b/c@v1.0.0: reading https://me:secret@modules.class.example/go/a.b/c/@v/v1.0.0.mod: 404 Not Found`,
			`a.b/c@v1.0.0: reading $GOPROXY/a.b/c/@v/v1.0.0.mod: 404 Not Found`},
		{`module a.b/c: Get "https://other.example:8443/x/a.b/c/@v/list": ` +
			`dial tcp 10.1.2.3:8443: connect: connection refused`,
			`module a.b/c: Get "$GOPROXY/c/@v/list": dial tcp: connect: connection refused`},
		{`Get "http://127.0.0.1:3000/a.b/c/@latest": proxyconnect tcp: dial tcp [::1]:3128: i/o timeout`,
			`Get "$GOPROXY/c/@latest": proxyconnect tcp: dial tcp: i/o timeout`},
		{`dial tcp: lookup proxy.class.example on 10.0.0.2:53: no such host`,
			`dial tcp: lookup of the module proxy: no such host`},
		{`read tcp 10.0.0.1:5123->10.0.0.2:443: connection reset by peer`, `read tcp: connection reset by peer`},
		{"m.go:3:8: no required module provides package example.com/x; see https://go.dev/doc",
			"m.go:3:8: no required module provides package example.com/x; see https://go.dev/doc"},
	} {
		if got := HideProxies(c.text); got != c.want {
			t.Errorf("%s\nbecomes %s\nwant    %s", c.text, got, c.want)
		}
	}
}
