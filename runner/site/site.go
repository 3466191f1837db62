// Package site serves the built site with the book, and builds it.
//
// The files are served by site.go, from a folder or from an archive in one file (archive.go). While the site is being
// built, progress.go serves a page with the progress in place of a page that is not built yet. The steps of the build
// and their order are in the Makefile; build.go starts make, and reads in its output how far they are.
//
// The package imports no more than the standard library and small packages of this module, because the program
// bootstrap uses it and must compile in seconds.
package site

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
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

// contentTypes has the content types of files by their extension. The types in package mime depend on the machine.
var contentTypes = map[string]string{
	".html":  "text/html; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".mjs":   "text/javascript; charset=utf-8",
	".json":  "application/json",
	".map":   "application/json",
	".svg":   "image/svg+xml",
	".png":   "image/png",
	".webp":  "image/webp",
	".pdf":   "application/pdf",
	".ico":   "image/x-icon",
	".woff":  "font/woff",
	".woff2": "font/woff2",
	".ttf":   "font/ttf",
	".wasm":  "application/wasm",
	".pack":  "application/octet-stream",
	".txt":   "text/plain; charset=utf-8",
	".xml":   "text/xml; charset=utf-8",
	".md":    "text/plain; charset=utf-8",
}

// fingerprinted matches file names with a hash of the content, as Hugo (64 digits), mdBook and tools/engine (8 digits)
// and esbuild (8 characters of base 32) make them, also the names of compressed copies.
var fingerprinted = regexp.MustCompile(
	`[.-]([0-9a-f]{8}|[A-Z2-7]{8}|[0-9a-f]{64})(\.min)?\.(css|js|svg|png|woff2?|wasm|pack)(\.br|\.gz)?$`)

// serveFile serves a file, or its compressed copy if "make site" made one and the client accepts that.
func serveFile(w http.ResponseWriter, r *http.Request, root fs.FS, name string) error {
	file, info, err := openFile(root, name)
	if err != nil {
		return err
	}
	defer func() { file.Close() }()
	kind := contentTypes[path.Ext(name)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Vary", "Accept-Encoding")
	tag := ""
	if copy, stat, coding := openCompressed(root, name, info.ModTime(), r.Header.Get("Accept-Encoding")); coding != "" {
		file.Close()
		file, info, tag = copy, stat, "-"+coding
		h.Set("Content-Encoding", coding)
	}
	if fingerprinted.MatchString(name) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	// Each coding has its own tag, because the bytes differ.
	h.Set("ETag", fmt.Sprintf(`"%x-%x%s"`, info.ModTime().UnixNano(), info.Size(), tag))
	http.ServeContent(w, r, name, info.ModTime(), file)
	return nil
}

// A seekFile is an open file of the site.
type seekFile interface {
	fs.File
	io.Seeker
}

// openFile opens a regular file. The error is fs.ErrNotExist for any other file.
func openFile(root fs.FS, name string) (seekFile, fs.FileInfo, error) {
	file, err := root.Open(name)
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	content, ok := file.(seekFile)
	if err == nil && (!ok || !info.Mode().IsRegular()) {
		err = fs.ErrNotExist
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return content, info, nil
}

// openCompressed opens the copy of a file in the best coding that the client accepts, and returns the coding, or "" if
// there is no copy. A copy that is older than the file is out of date and is ignored, and so is one that cannot be
// read.
func openCompressed(root fs.FS, name string, modified time.Time, accept string) (seekFile, fs.FileInfo, string) {
	for _, c := range []struct{ coding, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if !accepts(accept, c.coding) {
			continue
		}
		copy, info, err := openFile(root, name+c.suffix)
		if err != nil {
			continue
		}
		if !info.ModTime().Before(modified) {
			return copy, info, c.coding
		}
		copy.Close()
	}
	return nil, nil, ""
}

// accepts reports whether an Accept-Encoding header names a coding, or *, with a weight other than 0 (RFC 9110, section
// 12.5.3).
func accepts(header, coding string) bool {
	any := false
	for item := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(item, ";")
		accepted := true
		if key, weight, ok := strings.Cut(params, "="); ok && strings.EqualFold(strings.TrimSpace(key), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
			accepted = err == nil && q > 0
		}
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, coding):
			return accepted
		case name == "*":
			any = accepted
		}
	}
	return any
}
