package fix

import (
	"go/ast"
	"go/token"

	"github.com/butuzov/mirror"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// mirrored calls the function for bytes with bytes, and the function for strings with a string, in place of a
// conversion. It takes an edit of github.com/butuzov/mirror only if the function neither keeps nor returns a part of
// its arguments: bytes.NewBuffer would share the memory of its argument, and regexp's Find returns a part of it. A
// bufio.Writer would pass other parts to its writer.
func mirrored(s *search) {
	s.borrow(mirror.NewAnalyzer(), func(call *ast.CallExpr, d analysis.Diagnostic) {
		if s.calls(call, mirrors...) {
			s.propose(call, d.Message, nil, d.SuggestedFixes[0].TextEdits...)
		}
	})
}

// borrow runs an analyzer of another module. It passes on diagnostics with a fix of calls without a
// comment in them.
func (s *search) borrow(a *analysis.Analyzer, propose func(*ast.CallExpr, analysis.Diagnostic)) {
	calls := map[token.Pos]*ast.CallExpr{}
	each(s, func(c inspector.Cursor, call *ast.CallExpr) {
		switch c.Parent().Node().(type) {
		case *ast.IndexExpr, *ast.SliceExpr, *ast.ParenExpr:
			return // an operator in its place would need parentheses
		}
		calls[call.Pos()] = call
	})
	pass := *s.Pass
	pass.Analyzer = a
	pass.Report = func(d analysis.Diagnostic) {
		if call := calls[d.Pos]; call != nil && len(d.SuggestedFixes) > 0 && !s.hasComment(call) {
			propose(call, d)
		}
	}
	_, _ = a.Run(&pass)
}

// mirrors are functions that only read what they are given, and return nothing of it.
var mirrors = []string{
	"regexp.Match", "regexp.MatchString", "(*regexp.Regexp).Match", "(*regexp.Regexp).MatchString",
	"(*bytes.Buffer).Write", "(*bytes.Buffer).WriteString",
	"(*strings.Builder).Write", "(*strings.Builder).WriteString",
	"(*os.File).Write", "(*os.File).WriteString", "(*hash/maphash.Hash).Write", "(*hash/maphash.Hash).WriteString",
	"unicode/utf8.Valid", "unicode/utf8.ValidString", "unicode/utf8.RuneCount", "unicode/utf8.RuneCountInString",
	"unicode/utf8.FullRune", "unicode/utf8.FullRuneInString",
}
