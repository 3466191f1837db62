package site

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"
)

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
	file, err := openFile(root, name)
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
	if copy, coding := openCompressed(root, name, file, r.Header.Get("Accept-Encoding")); coding != "" {
		file.Close()
		file, tag = copy, "-"+coding
		h.Set("Content-Encoding", coding)
	}
	if fingerprinted.MatchString(name) {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	// Each coding has its own tag, because the bytes differ.
	h.Set("ETag", fmt.Sprintf(`"%x-%x%s"`, file.info.ModTime().UnixNano(), file.info.Size(), tag))
	http.ServeContent(w, r, name, file.info.ModTime(), file)
	return nil
}

type openedFile struct {
	io.ReadSeeker
	io.Closer
	info fs.FileInfo
}

// openFile opens a regular file. The error is fs.ErrNotExist for any other file.
func openFile(root fs.FS, name string) (openedFile, error) {
	file, err := root.Open(name)
	if err != nil {
		return openedFile{}, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return openedFile{}, err
	}
	content, ok := file.(io.ReadSeeker)
	if !ok || !info.Mode().IsRegular() {
		file.Close()
		return openedFile{}, fs.ErrNotExist
	}
	return openedFile{content, file, info}, nil
}

// openCompressed opens the copy of a file in the best coding that the client accepts, and returns the coding, or "" if
// there is no copy. A copy that is older than the file is out of date and is ignored, and so is one that cannot be
// read.
func openCompressed(root fs.FS, name string, file openedFile, accept string) (openedFile, string) {
	for _, c := range []struct{ coding, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
		if !accepts(accept, c.coding) {
			continue
		}
		copy, err := openFile(root, name+c.suffix)
		if err != nil {
			continue
		}
		if !copy.info.ModTime().Before(file.info.ModTime()) {
			return copy, c.coding
		}
		copy.Close()
	}
	return openedFile{}, ""
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
