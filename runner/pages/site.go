package pages

import (
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"syscall"
)

// The pages have their own policy in a meta element (web/policy.mjs), so that any host has it; it cannot say who may frame them.
// What is no page, such as a worker's script or a drawing, has its policy from here: nothing from elsewhere.
const (
	pagePolicy = "frame-ancestors 'self'"
	filePolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
		"worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; " + pagePolicy
)

const missingSite = `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>The site is not built</title>
<p>The site is not built yet: run <code>make serve</code> in the repository, which builds it and serves it here.</p>
</html>
`

// Site serves the files of the built site, which are in dir, the book's below book/. A folder shows its index.html and never a
// listing. fail answers a request for a file that cannot be read.
func Site(dir string, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	root := os.DirFS(dir)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
		if name == "" {
			name = "."
		}
		w.Header().Set("Content-Security-Policy", filePolicy)
		info, err := fs.Stat(root, name)
		switch {
		case err == nil && info.IsDir() && !strings.HasSuffix(r.URL.Path, "/"):
			// From here, not from the root: the site may be below a path of a host that takes it away.
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
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ENAMETOOLONG):
			notThere(w, r, root)
		default:
			fail(w, r, err)
		}
	})
}

func servePage(w http.ResponseWriter, r *http.Request, root fs.FS, name string) error {
	w.Header().Set("Content-Security-Policy", pagePolicy)
	return serveFile(w, r, root, name)
}

// notThere answers with the site's page for what it does not have or, where nothing is built, with what to do.
func notThere(w http.ResponseWriter, r *http.Request, root fs.FS) {
	page := []byte(missingSite)
	if _, err := fs.Stat(root, "index.html"); err == nil {
		if page, err = fs.ReadFile(root, "404.html"); err != nil {
			page = []byte("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Not found</title>\n" +
				"<p>There is no such page. <a href=\"/\">To the beginning</a></p>\n</html>\n")
		}
	}
	w.Header().Set("Content-Security-Policy", pagePolicy)
	w.Header().Set("Content-Type", contentTypes[".html"])
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusNotFound)
	if r.Method != http.MethodHead {
		w.Write(page)
	}
}
