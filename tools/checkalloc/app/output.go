package app

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"onthestack/internal/safefile"
)

// A cancelingWriter ends the command at the first error of a write.
type cancelingWriter struct {
	to     io.Writer
	cancel context.CancelCauseFunc
}

func (w *cancelingWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if err != nil {
		w.cancel(&WriteError{err})
	}
	return n, err
}

// WriteFile replaces a file atomically, so that its old content stays if the new one cannot be written. A file that is
// not regular, such as a pipe, is written to.
func WriteFile(name string, text []byte) error {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := os.FileMode(0o666)
	info, err := os.Stat(name)
	if err == nil {
		if !info.Mode().IsRegular() {
			return os.WriteFile(name, text, mode)
		}
		mode = info.Mode().Perm()
	}
	return safefile.Write(name, text, mode)
}
