package pages

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strings"
	"syscall"
)

// contentTypes are set here because those of package mime depend on the machine.
var contentTypes = map[string]string{
	".html":  "text/html; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".mjs":   "text/javascript; charset=utf-8",
	".json":  "application/json",
	".map":   "application/json",
	".svg":   "image/svg+xml",
	".png":   "image/png",
	".ico":   "image/x-icon",
	".woff":  "font/woff",
	".woff2": "font/woff2",
	".ttf":   "font/ttf",
	".wasm":  "application/wasm",
	".txt":   "text/plain; charset=utf-8",
	".xml":   "text/xml; charset=utf-8",
	".md":    "text/plain; charset=utf-8",
}

// bookPolicy lets mdBook's pages work, which have scripts and styles inline, and nothing from elsewhere.
const bookPolicy = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
	"img-src 'self' data:; font-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"

const missingBook = `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>The book is not built</title>
<p>The book is not built yet: run <code>make serve</code> in the repository, which builds it and serves it here.</p>
</html>
`

// Book serves the files of the built book, which are in dir, below /book/. A folder shows its index.html and never a listing.
// fail answers a request for a file that cannot be read.
func Book(dir string, fail func(http.ResponseWriter, *http.Request, error)) http.Handler {
	root := os.DirFS(dir)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", bookPolicy)
		w.Header().Set("Cache-Control", "no-cache")
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/book")
		name = strings.TrimPrefix(name, "/")
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
			notInBook(w, r, root)
		default:
			fail(w, r, err)
		}
	})
}

func serveFile(w http.ResponseWriter, r *http.Request, root fs.FS, name string) error {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	content, ok := file.(io.ReadSeeker)
	if !ok || !info.Mode().IsRegular() {
		return fs.ErrNotExist
	}
	kind := contentTypes[path.Ext(name)]
	if kind == "" {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
	http.ServeContent(w, r, name, info.ModTime(), content)
	return nil
}

// notInBook answers with the book's own page for what it does not have or, where there is no book, with what to do.
func notInBook(w http.ResponseWriter, r *http.Request, root fs.FS) {
	page := []byte(missingBook)
	if _, err := fs.Stat(root, "index.html"); err == nil {
		if page, err = fs.ReadFile(root, "404.html"); err != nil {
			page = []byte("<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Not found</title>\n" +
				"<p>The book has no such page. <a href=\"/book/\">To its beginning</a></p>\n</html>\n")
		}
	}
	w.Header().Set("Content-Type", contentTypes[".html"])
	w.WriteHeader(http.StatusNotFound)
	if r.Method != http.MethodHead {
		w.Write(page)
	}
}
