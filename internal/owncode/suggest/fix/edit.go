package fix

import (
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

func edit(from, to token.Pos, text string) analysis.TextEdit {
	return analysis.TextEdit{Pos: from, End: to, NewText: []byte(text)}
}

// indent returns the blanks at the beginning of a line.
func (s *search) indent(at token.Pos) string {
	line := s.between(s.lineStart(at), at)
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// lineStart returns the position of the beginning of a line.
func (s *search) lineStart(at token.Pos) token.Pos {
	f := s.Fset.File(at)
	return f.LineStart(f.PositionFor(at, false).Line)
}

// lineEnd returns the position after a node's line, so that a comment behind it is included.
func (s *search) lineEnd(at token.Pos) token.Pos {
	f := s.Fset.File(at)
	if line := f.PositionFor(at, false).Line; line < f.LineCount() {
		return f.LineStart(line + 1)
	}
	return token.Pos(f.Base() + f.Size())
}
