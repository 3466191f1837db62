package build

import (
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/compilelink"
)

// Messages of the go command about module proxies. They contain the address of a request, of which only the module's
// path and version are kept, and the addresses of machines.
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
		for proxy := range proxies(os.Getenv(name)) {
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

// proxies returns the elements of a GOPROXY setting.
func proxies(setting string) iter.Seq[string] {
	return strings.FieldsFuncSeq(setting, func(r rune) bool { return r == ',' || r == '|' })
}

// HidePaths replaces paths of this machine in the output of the toolchain or a program. The arguments after output are
// pairs of a path and its replacement. If two paths match at the same position, the first pair is used. A pair with an
// empty path is ignored.
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

// buildFolder matches the folder of the module of any build. go vet may print messages from its cache that name the
// folder of an earlier build of the same files.
var buildFolder = regexp.MustCompile(`([A-Za-z]:)?[/\\][^\n:"]*?checkalloc-build-\d+[/\\]module[/\\]`)

// hide removes the folder dir of a Toolchain's build, and GOROOT, from output.
func (r release) hide(output []byte, dir string) []byte {
	output = HidePaths(output, filepath.Join(dir, compilelink.Source)+string(filepath.Separator), "")
	output = buildFolder.ReplaceAll(output, nil)
	return HidePaths(output, dir, "$WORK", r.goroot, "$GOROOT")
}

// hide removes the folders of this machine and the addresses of module proxies from the output of an Isolated's build
// in the folder dir.
func (t *Isolated) hide(output []byte, dir string) []byte {
	if len(output) == 0 {
		return output
	}
	const separator = string(filepath.Separator)
	source := filepath.Join(dir, compilelink.Source)
	pairs := []string{
		// The go command names the module cache relative to the program's folder.
		filepath.Join("..", "gopath", "pkg", "mod") + separator, "",
		modCache(goPath(dir)) + separator, "",
		source + separator, "",
		source, ".",
		dir, "$WORK",
		t.folder.own, "$WORK",
		t.folder.cache, "$GOCACHE",
		t.release.goroot, "$GOROOT",
	}
	for proxy := range proxies(t.release.settings["GOPROXY"]) {
		// A proxy may be a folder, or an address with a password.
		if path, ok := strings.CutPrefix(proxy, "file://"); ok || strings.Contains(proxy, "@") {
			pairs = append(pairs, proxy, "$GOPROXY", path, "$GOPROXY")
		}
	}
	return []byte(HideProxies(string(HidePaths(output, pairs...))))
}
