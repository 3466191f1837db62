package gocommand

import (
	"iter"
	"os"
	"regexp"
	"strings"
)

// Messages of the go command about module proxies. They contain the addresses of machines, and the address of a
// request. Only the request's module path and version are kept.
var (
	proxyRequest = regexp.MustCompile(`\b(?:https?|file)://[^\s"']*?((?:/[^\s"'/]+)?/@(?:v/[^\s"':,]*|latest))`)
	proxyDial    = regexp.MustCompile(
		`\b(proxyconnect |dial |read |write )(tcp|udp)[46]? [^\s:]*(?::[^\s]*?)?(?:->\S+?)?: `,
	)
	proxyLookup = regexp.MustCompile(`\blookup \S+( on \S+)?: `)
)

// HideProxies removes the addresses of module proxies from messages of the go command. The addresses may be private to
// a class or a company, and are of no use to a reader.
func HideProxies(text string) string {
	var pairs []string
	for _, name := range []string{"GOPROXY", "HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"} {
		for proxy := range Proxies(os.Getenv(name)) {
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

// Proxies returns the elements of a GOPROXY setting.
func Proxies(setting string) iter.Seq[string] {
	return strings.FieldsFuncSeq(setting, func(r rune) bool { return r == ',' || r == '|' })
}
