package app

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// Version returns the release of this program, the commit, and the Go release that built it. An empty release or commit
// is the one in the build information, which "go run" and "go test" leave out.
func Version(release, commit string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		release = cmp.Or(release, info.Main.Version)
		settings := map[string]string{}
		for _, s := range info.Settings {
			settings[s.Key] = s.Value
		}
		if revision := settings["vcs.revision"]; commit == "" && revision != "" {
			commit = revision[:min(12, len(revision))]
			if settings["vcs.modified"] == "true" {
				commit += "+changes"
			}
		}
	}
	return fmt.Sprintf("%s (commit %s), built with %s for %s/%s", cmp.Or(release, "(devel)"),
		cmp.Or(commit, "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
