// Package site serves the built site with the book, and builds it.
//
// The files are served by site.go and file.go, from a folder or from an archive in one file (archive.go). While the
// site is being built, progress.go serves a page with the progress in place of a page that is not built yet. The steps
// of the build and their order are in the Makefile; build.go starts make, and reads in its output how far they are.
//
// The package imports no more than the standard library and small packages of this module, because the program
// bootstrap uses it and must compile in seconds.
package site

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
	"syscall"
)

// Each page has its content security policy in a meta element (web/policy.mjs), so that it applies on every host. A
// meta element cannot have frame-ancestors, so PagePolicy adds it. Other files, such as a worker's script or a drawing,
// have filePolicy, which allows nothing from other origins.
const (
	PagePolicy = "frame-ancestors 'self'"
	filePolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; " +
		"worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; " + PagePolicy
)

const missingSite = `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>The site is not built</title>
<p>The site is not built yet: run <code>make serve</code> in the repository, which builds it and serves it here.</p>
</html>
`

// Files serves the files of the built site, with the book in book/. A request for a folder is answered with its
// index.html, never with a listing. fail answers a request for a file that cannot be read. The files of root must be
// able to seek.
func Files(root fs.FS, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if name == "" {
			name = "."
		}
		w.Header().Set("Content-Security-Policy", filePolicy)
		info, err := fs.Stat(root, name)
		switch {
		case err == nil && info.IsDir() && !strings.HasSuffix(r.URL.Path, "/"):
			// Relative to the request, not to the root: a proxy may serve the site below a path that the runner does
			// not see.
			to := url.URL{Path: "./" + path.Base(name) + "/", RawQuery: r.URL.RawQuery}
			w.Header().Set("Location", to.String())
			w.WriteHeader(http.StatusFound)
			return
		case err == nil && info.IsDir():
			err = servePage(w, r, root, path.Join(name, "index.html"))
		case err == nil && path.Ext(name) == ".html":
			err = servePage(w, r, root, name)
		case err == nil:
			err = serveFile(w, r, root, name)
		}
		switch {
		case err == nil:
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.ENOTDIR),
			errors.Is(err, syscall.ENAMETOOLONG):
			NotFound(w, r, root)
		default:
			fail(w, r, err)
		}
	})
}

// servePage serves a page of HTML.
func servePage(w http.ResponseWriter, r *http.Request, root fs.FS, name string) error {
	w.Header().Set("Content-Security-Policy", PagePolicy)
	return serveFile(w, r, root, name)
}

// NotFound answers with the site's own 404 page or, if the site is not built, with how to build it.
func NotFound(w http.ResponseWriter, r *http.Request, root fs.FS) {
	page := []byte(missingSite)
	if _, err := fs.Stat(root, "index.html"); err == nil {
		if page, err = fs.ReadFile(root, "404.html"); err != nil {
			page = []byte("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Not found</title>\n" +
				"<p>There is no such page. <a href=\"/\">To the beginning</a></p>\n</html>\n")
		}
	}
	w.Header().Set("Content-Security-Policy", PagePolicy)
	w.Header().Set("Content-Type", contentTypes[".html"])
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusNotFound)
	if r.Method != http.MethodHead {
		w.Write(page)
	}
}
