package site

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// builtSite returns a site in which two files have compressed copies.
func builtSite(t *testing.T) fstest.MapFS {
	t.Helper()
	when := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	file := func(text []byte) *fstest.MapFile { return &fstest.MapFile{Data: text, ModTime: when} }
	large := bytes.Repeat([]byte("0123456789abcdef"), 20_000)
	return fstest.MapFS{
		"index.html":              file([]byte("<p>Hello")),
		"404.html":                file([]byte("<p>None")),
		"book/index.html":         file([]byte("<p>The book")),
		"book/index.html.gz":      file(gzipped(t, []byte("<p>The book"))),
		"book/index.html.br":      file([]byte("Brotli")),
		"engine/page-0a1b2c3d.js": file(large), "engine/page-0a1b2c3d.js.gz": file(gzipped(t, large)),
		"empty.txt": file(nil), "empty.txt.gz": file(gzipped(t, nil)),
	}
}

func gzipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// archived writes a site as an archive, and returns the files of that and its size.
func archived(t *testing.T, built fs.FS) (fs.FS, int) {
	t.Helper()
	var b strings.Builder
	if err := WriteArchive(&b, built); err != nil {
		t.Fatal(err)
	}
	files, err := OpenArchive(b.String())
	if err != nil {
		t.Fatal(err)
	}
	return files, b.Len()
}

// TestArchive tests that the archive has the files of the site, in less space.
func TestArchive(t *testing.T) {
	site := builtSite(t)
	files, size := archived(t, site)
	if size > 10_000 {
		t.Errorf("the archive has %d bytes", size)
	}
	for name, want := range site {
		text, err := fs.ReadFile(files, name)
		if strings.HasSuffix(name, ".br") {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is there: %v", name, err)
			}
			continue
		}
		if err != nil || !bytes.Equal(text, want.Data) {
			t.Errorf("%s has %d bytes, want %d: %v", name, len(text), len(want.Data), err)
		}
		info, err := fs.Stat(files, name)
		if err != nil || info.Size() != int64(len(want.Data)) || !info.ModTime().Equal(want.ModTime) || info.IsDir() {
			t.Errorf("%s is %+v: %v", name, info, err)
		}
	}
	for _, name := range []string{"none.html", "book/none", "engine/page-0a1b2c3d.wasm", "index.html/x"} {
		if _, err := files.Open(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"../index.html", "/index.html", ""} {
		if _, err := files.Open(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if info, err := fs.Stat(files, "book"); err != nil || !info.IsDir() {
		t.Errorf("book is %+v, %v", info, err)
	}
}

// TestArchiveSeek reads parts of a file that is stored compressed, in any order.
func TestArchiveSeek(t *testing.T) {
	const name = "engine/page-0a1b2c3d.js"
	site := builtSite(t)
	files, _ := archived(t, site)
	want := bytes.NewReader(site[name].Data)
	file, err := files.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	got := file.(io.ReadSeeker)
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		whence := random.IntN(3)
		offset := random.Int64N(2*want.Size()) - want.Size()
		a, errA := got.Seek(offset, whence)
		b, errB := want.Seek(offset, whence)
		if (errA == nil) != (errB == nil) || errA == nil && a != b {
			t.Fatalf("Seek(%d, %d) is %d, %v; want %d, %v", offset, whence, a, errA, b, errB)
		}
		x, y := make([]byte, 100), make([]byte, 100)
		n, errA := io.ReadFull(got, x)
		m, errB := io.ReadFull(want, y)
		if n != m || !errors.Is(errA, errB) || !bytes.Equal(x, y) {
			t.Fatalf("after Seek(%d, %d): %d bytes, %v; want %d, %v", offset, whence, n, errA, m, errB)
		}
	}
}

// TestArchiveServed serves the archive as the server does: compressed and not, in parts, and again.
func TestArchiveServed(t *testing.T) {
	const name = "/engine/page-0a1b2c3d.js"
	whole := builtSite(t)
	files, _ := archived(t, whole)
	text := whole[name[1:]].Data
	handler := Files(files, func(w http.ResponseWriter, _ *http.Request, err error) {
		t.Error(err)
		http.Error(w, "failed", http.StatusTeapot)
	})
	get := func(path string, headers ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	for _, accept := range []string{"gzip, deflate", "br, gzip"} {
		w := get(name, "Accept-Encoding", accept)
		if w.Header().Get("Content-Encoding") != "gzip" || !bytes.Equal(w.Body.Bytes(), whole[name[1:]+".gz"].Data) {
			t.Errorf("%s: %d %v, %d bytes", accept, w.Code, w.Header(), w.Body.Len())
		}
		if again := get(name, "Accept-Encoding", accept, "If-None-Match", w.Header().Get("ETag")); again.Code != 304 {
			t.Errorf("%s, again: status %d", accept, again.Code)
		}
	}
	if w := get(name); w.Header().Get("Content-Encoding") != "" || !bytes.Equal(w.Body.Bytes(), text) {
		t.Errorf("uncompressed: %d %v, %d bytes", w.Code, w.Header(), w.Body.Len())
	}
	if w := get(name, "Range", "bytes=100-199"); w.Code != 206 || !bytes.Equal(w.Body.Bytes(), text[100:200]) {
		t.Errorf("in part: %d, %q", w.Code, w.Body)
	}
	for path, want := range map[string]string{"/": "<p>Hello", "/book/": "<p>The book", "/none": "<p>None"} {
		if w := get(path); w.Body.String() != want {
			t.Errorf("%s: %d, %q", path, w.Code, w.Body)
		}
	}
	if w := get("/book"); w.Code != 302 || w.Header().Get("Location") != "./book/" {
		t.Errorf("/book: %d to %q", w.Code, w.Header().Get("Location"))
	}
}

// TestArchiveDamaged opens archives that WriteArchive has not written, and files that break off.
func TestArchiveDamaged(t *testing.T) {
	if _, err := OpenArchive("no archive"); err == nil {
		t.Error("no archive is opened")
	}
	whole := gzipped(t, []byte("a page of text that is compressed"))
	for n := range len(whole) {
		files, _ := archived(t, fstest.MapFS{"page.html.gz": {Data: whole[:n]}})
		file, err := files.Open("page.html")
		if err != nil {
			continue
		}
		// fs.ReadFile would first take as much memory as the last bytes say.
		if text, err := io.ReadAll(file); err == nil && len(text) > 0 {
			t.Errorf("of %d bytes it read %q without an error", n, text)
		}
	}
}
