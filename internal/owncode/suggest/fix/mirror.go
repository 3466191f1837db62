package fix

import (
	"go/ast"
	"go/token"

	"github.com/butuzov/mirror"
	"golang.org/x/tools/go/analysis"
)

// mirrored calls the function for bytes with bytes, and the function for strings with a string, in place of a
// conversion. It takes an edit of github.com/butuzov/mirror only if the function neither keeps nor returns a part of
// its arguments: bytes.NewBuffer would share the memory of its argument, and regexp's Find returns a part of it. A
// bufio.Writer would pass other parts to its writer.
func mirrored(s *search) {
	calls := map[token.Pos]*ast.CallExpr{}
	for c := range s.inspector.Root().Preorder((*ast.CallExpr)(nil)) {
		call := c.Node().(*ast.CallExpr)
		if s.calls(call, mirrors...) {
			calls[call.Pos()] = call
		}
	}
	a := mirror.NewAnalyzer()
	pass := *s.Pass
	pass.Analyzer = a
	pass.Report = func(d analysis.Diagnostic) {
		if call := calls[d.Pos]; call != nil && len(d.SuggestedFixes) > 0 && !s.hasComment(call) {
			s.propose(call, d.Message, nil, d.SuggestedFixes[0].TextEdits...)
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
