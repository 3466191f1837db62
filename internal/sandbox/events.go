package sandbox

import "onthestack/internal/execution"

// An eventWriter is stdout or stderr of a program.
type eventWriter struct {
	log   *execution.Log
	clock *clock
	kind  string
}

// Write implements io.Writer.
func (w eventWriter) Write(p []byte) (int, error) {
	w.log.Write(w.kind, w.clock.now, p)
	return len(p), nil
}
