//go:build go1.28

package testmain

// A published record has another layout in each release. The build fails here on a release that nobody has looked at:
// with the wrong layout, figures would be wrong, and with runtime.MemProfile some lines would be missing. Compare
// internal/profilerecord.MemProfileRecord and runtime.pprof_memProfileInternal of the release with
// published_go127.go. If they are the same, raise the build constraint there and here.
type published = compareProfilerecordOfThisReleaseWithPublishedGo127
