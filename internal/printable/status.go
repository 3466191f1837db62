package printable

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"
)

// A StatusLine shows how far a command is: on a terminal on the line after its output, or on several of them, which are
// overwritten; elsewhere only by lines that stay. It is safe for concurrent use.
type StatusLine struct {
	mu       sync.Mutex
	to       io.Writer
	terminal bool
	shown    int          // lines
	report   func(string) // takes the texts in place of to; nil for none
}

// NewStatusLine returns the line after the output on to.
func NewStatusLine(to io.Writer) *StatusLine {
	file, ok := to.(*os.File)
	return &StatusLine{to: to, terminal: ok && term.IsTerminal(int(file.Fd()))}
}

// StatusFunc returns a StatusLine that prints nothing, and calls report with each text of Show and Print, one after the
// other.
func StatusFunc(report func(text string)) *StatusLine {
	return &StatusLine{to: io.Discard, report: report}
}

// Show replaces the line's text, on a terminal only. The text may be from untrusted sources.
func (l *StatusLine) Show(format string, args ...any) {
	text := Inline(fmt.Sprintf(format, args...))
	if l.report != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.report(text)
		return
	}
	l.ShowLines(text)
}

// ShowLines is Show for several lines, and keeps their blanks. None of them may have a line feed or be wider than the
// terminal, which would wrap it: it could then not be erased.
func (l *StatusLine) ShowLines(lines ...string) {
	if !l.terminal {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	for i, text := range lines {
		if i > 0 {
			io.WriteString(l.to, "\n")
		}
		io.WriteString(l.to, Clean(text))
	}
	l.shown = len(lines)
}

// Clear empties the line, so that other text can be written there.
func (l *StatusLine) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
}

// Print writes a line that stays. The text may be from untrusted sources.
func (l *StatusLine) Print(format string, args ...any) {
	if l.report != nil {
		l.Show(format, args...)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	fmt.Fprintln(l.to, Text(fmt.Sprintf(format, args...)))
}

// After prints what text returns after d, unless stop is called before.
func (l *StatusLine) After(d time.Duration, text func() string) (stop func() bool) {
	return time.AfterFunc(d, func() { l.Print("%s", text()) }).Stop
}

// Write writes complete lines that stay on the screen, such as the lines of a log.
func (l *StatusLine) Write(lines []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.clear()
	return l.to.Write(lines)
}

// Terminal reports whether the output is a terminal, so that a status line is visible.
func (l *StatusLine) Terminal() bool { return l.terminal }

func (l *StatusLine) clear() {
	for i := range l.shown {
		if i > 0 {
			io.WriteString(l.to, "\x1b[A") // a line up
		}
		io.WriteString(l.to, "\r\x1b[K")
	}
	l.shown = 0
}
