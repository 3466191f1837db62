package expand

import (
	"fmt"
	"strings"

	"onthestack/internal/bookdata"
)

// history returns the measured history. It reads the file once.
func (x *expander) history() (*bookdata.History, error) {
	if x.past == nil {
		h, err := bookdata.ReadHistory(x.book.Files)
		if err != nil {
			return nil, err
		}
		x.past = h
	}
	return x.past, nil
}

// manifest returns a listing's manifest.
func (x *expander) manifest(name string) (*bookdata.Manifest, error) {
	if m, ok := x.manifests[name]; ok {
		return m, nil
	}
	if err := x.exists(name); err != nil {
		return nil, err
	}
	m, err := bookdata.ReadManifest(x.book.Files, name)
	if err == nil {
		x.manifests[name] = m
	}
	return m, err
}

// show returns the history, and the manifest of a listing whose history a page shows. The two are compared after all
// pages.
func (x *expander) show(name string) (*bookdata.History, *bookdata.Manifest, error) {
	m, err := x.manifest(name)
	if err != nil {
		return nil, nil, err
	}
	h, err := x.history()
	if err != nil {
		return nil, nil, err
	}
	if h.Listings[name] == nil {
		return nil, nil, notMeasured(name)
	}
	x.shown[name] = true
	return h, m, nil
}

func notMeasured(name string) error {
	return fmt.Errorf("%s is not in %s: run %q", name, bookdata.HistoryFile, bookdata.HistoryCommand)
}

// onRelease returns what was measured of a listing on an older release.
func (x *expander) onRelease(name, release string) (m bookdata.Measurement, err error) {
	h, _, err := x.show(name)
	if err != nil {
		return m, err
	}
	return h.Of(name, release)
}

// split splits "LISTING@go1.8" into the listing and the release. Without "@" the release is "", today's.
func split(arg string) (name, release string, err error) {
	name, release, older := strings.Cut(arg, "@")
	if older && release == "" {
		return "", "", fmt.Errorf("%s names no release: write it as %s@go1.8", arg, name)
	}
	return name, release, nil
}
