package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"onthestack/runner/settings"
)

// Set by "make dist".
var (
	release string // "2026.11.23", the day of the commit, or a tag
	commit  string // "cd870f8fd13b", with "+changes" if files differ from it
)

// version returns a line with the release, the commit, and the Go release that built this program.
func version() string {
	revision := commit
	if info, ok := debug.ReadBuildInfo(); ok && revision == "" {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value
			}
		}
	}
	return fmt.Sprintf("%s %s (commit %s), built with %s for %s/%s", settings.OneFile, cmp.Or(release, "(devel)"),
		cmp.Or(revision, "unknown"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
