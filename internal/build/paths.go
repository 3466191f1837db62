package build

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// What the go command says of how it reached a module proxy, or did not: a request's address, of which the module's path and version stay,
// and the machines behind it.
var (
	proxyRequest = regexp.MustCompile(`\b(?:https?|file)://[^\s"']*?((?:/[^\s"'/]+)?/@(?:v/[^\s"':,]*|latest))`)
	proxyDial    = regexp.MustCompile(`\b(proxyconnect |dial |read |write )(tcp|udp)[46]? [^\s:]*(?::[^\s]*?)?(?:->\S+?)?: `)
	proxyLookup  = regexp.MustCompile(`\blookup \S+( on \S+)?: `)
)

// HideProxies returns what the go command said without the addresses of module proxies, which may be a class's or a company's own: a
// reader can do nothing with them, and others are not to learn them.
func HideProxies(text string) string {
	var pairs []string
	for _, setting := range []string{os.Getenv("GOPROXY"), os.Getenv("HTTPS_PROXY"), os.Getenv("HTTP_PROXY"), os.Getenv("https_proxy"), os.Getenv("http_proxy")} {
		for proxy := range strings.FieldsFuncSeq(setting, func(r rune) bool { return r == ',' || r == '|' }) {
			if proxy = strings.TrimRight(strings.TrimSpace(proxy), "/"); strings.Contains(proxy, "://") {
				pairs = append(pairs, proxy, "$GOPROXY")
			}
		}
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	text = proxyRequest.ReplaceAllString(text, "$$GOPROXY$1")
	text = proxyDial.ReplaceAllString(text, "$1$2: ")
	return proxyLookup.ReplaceAllString(text, "lookup of the module proxy: ")
}

// HidePaths replaces paths of this machine in what the toolchain or a program printed. The pairs are a path and its
// replacement; the first pair that matches counts, and an empty path is none.
func HidePaths(output []byte, pairs ...string) []byte {
	var used []string
	for pair := range slices.Chunk(pairs, 2) {
		if pair[0] != "" {
			used = append(used, pair...)
		}
	}
	if len(output) == 0 || len(used) == 0 {
		return output
	}
	return []byte(strings.NewReplacer(used...).Replace(string(output)))
}
