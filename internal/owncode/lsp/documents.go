package lsp

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/creachadair/jrpc2"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/safefile"
)

// A buffer is a document that is open in the editor, with text that may not be saved.
type buffer struct {
	file string
	uri  string // as the client writes it
	text []byte
}

// about adapts a function that answers about a document, from the last figures of its package. The function is called
// while s.mu is locked. If the document is not open, the answer is none.
func about[T any](s *server, none T, answer func(b *buffer, v view, p documentParams) T) jrpc2.Handler {
	return on(func(_ context.Context, p documentParams) (any, error) {
		name, err := pathOf(p.TextDocument.URI)
		s.mu.Lock()
		defer s.mu.Unlock()
		b := s.buffers[name]
		if err != nil || b == nil {
			return none, nil
		}
		return answer(b, s.view(filepath.Dir(name)), p), nil
	})
}

// open keeps the text of a Go file that the editor opens.
func (s *server) open(_ context.Context, p documentParams) (any, error) {
	name, err := pathOf(p.TextDocument.URI)
	if err != nil || filepath.Ext(name) != ".go" {
		return nil, nil // an editor may have documents that are no files
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.buffers[name] = &buffer{name, p.TextDocument.URI, []byte(p.TextDocument.Text)}
	s.publish(filepath.Dir(name))
	return nil, nil
}

// edited changes the text of a document.
func (s *server) edited(_ context.Context, p changeParams) (any, error) {
	name, err := pathOf(p.TextDocument.URI)
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.buffers[name]
	if err != nil || b == nil {
		return nil, nil
	}
	text, err := apply(b.text, p.ContentChanges)
	if err != nil {
		delete(s.buffers, name)
		s.logf("%s: %v", filepath.Base(name), err)
	} else {
		b.text = text
	}
	s.publish(filepath.Dir(name))
	return nil, nil
}

// closed forgets a document. From then on, the file on disk counts.
func (s *server) closed(_ context.Context, p documentParams) (any, error) {
	name, err := pathOf(p.TextDocument.URI)
	if err != nil {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.buffers, name)
	s.publish(filepath.Dir(name))
	return nil, nil
}

// uri returns the URI of a file, as the client writes it if the file is open.
func (s *server) uri(name string) string {
	if b := s.buffers[name]; b != nil {
		return b.uri
	}
	return uriOf(name)
}

// present returns the current text of a measured file: the text of its document if it is open, otherwise the text on
// the disk.
func (s *server) present(f *figures, base string) []byte {
	name := filepath.Join(f.dir, base)
	if b := s.buffers[name]; b != nil {
		return b.text
	}
	text, err := safefile.ReadLinked(name, base, userpkg.MaxSource)
	if err != nil {
		return nil
	}
	return text
}

// unsaved returns the texts of documents of a folder that differ from the files on the disk, by base name.
func (s *server) unsaved(dir string, saved map[string][]byte) (edited map[string][]byte, new []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	edited = map[string][]byte{}
	for name, b := range s.buffers {
		if filepath.Dir(name) != dir {
			continue
		}
		base := filepath.Base(name)
		text, known := saved[base]
		if known && !bytes.Equal(text, b.text) {
			edited[base] = b.text
		} else if _, err := os.Stat(name); !known && err != nil {
			new = append(new, base)
		}
	}
	return edited, new
}

// withoutDirectives returns a text without the lines that are directives of this program, which change no figure, or
// empty comments, which gofmt puts above them.
func withoutDirectives(text []byte) []byte {
	var rest []byte
	for line := range bytes.Lines(text) {
		if text := strings.TrimSpace(string(line)); text != "//" && !strings.HasPrefix(text, "//checkalloc:") {
			rest = append(rest, line...)
		}
	}
	return rest
}
