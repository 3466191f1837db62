package expand

import (
	"fmt"

	"onthestack/internal/bookdata"
)

// manifest returns a listing's manifest.
func (x *expander) manifest(name string) (*bookdata.Manifest, error) {
	if err := x.exists(name); err != nil {
		return nil, err
	}
	return bookdata.ReadManifest(x.book.Files, name)
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
		return nil, nil, fmt.Errorf("%s is not in %s: run %q", name, bookdata.HistoryFile, bookdata.HistoryCommand)
	}
	x.shown[name] = true
	return h, m, nil
}

// onRelease returns what was measured of a listing on an older release.
func (x *expander) onRelease(name, release string) (m bookdata.Measurement, err error) {
	h, _, err := x.show(name)
	if err != nil {
		return m, err
	}
	return h.Of(name, release)
}
