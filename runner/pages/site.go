package pages

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"syscall"
)

// What the site's pages may do: nothing from elsewhere. mdBook's, below /book/, have scripts and styles inline.
const (
	sitePolicy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
	bookPolicy = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
		"img-src 'self' data:; font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
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
		policy := sitePolicy
		if name == "book" || strings.HasPrefix(name, "book/") {
			policy = bookPolicy
		}
		w.Header().Set("Content-Security-Policy", policy)
		if name == "" {
			name = "."
		}
		info, err := fs.Stat(root, name)
		switch {
		case err == nil && info.IsDir() && !strings.HasSuffix(r.URL.Path, "/"):
			http.Redirect(w, r, path.Clean(r.URL.Path)+"/", http.StatusFound)
			return
		case err == nil && info.IsDir():
			err = serveFile(w, r, root, path.Join(name, "index.html"))
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

// notThere answers with the site's page for what it does not have or, where nothing is built, with what to do.
func notThere(w http.ResponseWriter, r *http.Request, root fs.FS) {
	page := []byte(missingSite)
	if _, err := fs.Stat(root, "index.html"); err == nil {
		if page, err = fs.ReadFile(root, "404.html"); err != nil {
			page = []byte("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Not found</title>\n" +
				"<p>There is no such page. <a href=\"/\">To the beginning</a></p>\n</html>\n")
		}
	}
	w.Header().Set("Content-Type", contentTypes[".html"])
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusNotFound)
	if r.Method != http.MethodHead {
		w.Write(page)
	}
}
