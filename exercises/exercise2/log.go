package gate

import (
	"fmt"
	"io"
)

// A Log writes lines. Debug may be changed at any time.
type Log struct {
	Out   io.Writer
	Debug bool // whether debug lines are written
}

// Debugf writes a line, with one call of Write, if Debug is
// true.
func (l *Log) Debugf(format string, args ...any) {
	if l.Debug {
		fmt.Fprintf(l.Out, format+"\n", args...)
	}
}
