package build

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/compilelink"
	"onthestack/internal/gocommand"
)

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
		t.folder.temp, "$WORK",
		t.folder.cache, "$GOCACHE",
		t.release.goroot, "$GOROOT",
	}
	for proxy := range gocommand.Proxies(t.release.settings["GOPROXY"]) {
		// A proxy may be a folder, or an address with a password.
		if path, ok := strings.CutPrefix(proxy, "file://"); ok || strings.Contains(proxy, "@") {
			pairs = append(pairs, proxy, "$GOPROXY", path, "$GOPROXY")
		}
	}
	return []byte(gocommand.HideProxies(string(HidePaths(output, pairs...))))
}

// tempFile matches the path of a file that this program or the go command makes and removes again.
var tempFile = regexp.MustCompile(regexp.QuoteMeta(filepath.Clean(os.TempDir())+string(filepath.Separator)) +
	`(checkalloc-[a-z]+-|go-build)\d+([/\\][^\s:;,"]*)?`)

// HideTempFiles returns the text of an error without the paths of temporary files, which mean nothing to a reader. It
// says in which folder such files are made.
func HideTempFiles(text string) string {
	short := tempFile.ReplaceAllLiteralString(text, "a temporary file")
	if short == text {
		return text
	}
	return fmt.Sprintf("%s; such files are made in %s, or in the folder that TMPDIR names", short, os.TempDir())
}
