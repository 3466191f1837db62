package fix

import (
	"go/ast"
	"go/constant"
	"go/token"
	"strings"

	"github.com/butuzov/mirror"
	"github.com/catenacyber/perfsprint/analyzer"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// perfsprint formats a single value by package strconv, or not at all. The analyzer of
// github.com/catenacyber/perfsprint reports the imports that its edits need once for a whole file, so each edit gets
// its own imports here. Left out are formats with "%%" and formats that are not constant, which that analyzer takes for
// their text. Also left out are its edits of concatenations in loops, which lose what a return in the loop adds.
func perfsprint(s *search) {
	a := analyzer.New()
	for name, value := range map[string]string{"concat-loop": "false", "fiximports": "false", "err-error": "false"} {
		if a.Flags.Set(name, value) != nil {
			return
		}
	}
	s.borrow(a, func(call *ast.CallExpr, d analysis.Diagnostic) {
		fix := d.SuggestedFixes[0]
		if fix.Message == "" || !s.plainFormat(call) {
			return
		}
		for _, path := range []string{"strconv", "errors", "encoding/hex"} {
			name := path[strings.LastIndex(path, "/")+1:]
			if !strings.HasPrefix(string(fix.TextEdits[0].NewText), name+".") {
				continue
			}
			as, imports := s.importing(s.file(call), path)
			if as != name {
				return
			}
			fix.TextEdits = append(fix.TextEdits, imports...)
		}
		s.propose(call, strings.ToLower(fix.Message[:1])+fix.Message[1:], nil, fix.TextEdits...)
	})
}

// plainFormat reports whether the first argument of a call is a constant without "%%", or the only verb is implied.
func (s *search) plainFormat(call *ast.CallExpr) bool {
	if s.calls(call, "fmt.Sprint") {
		return true
	}
	value := s.TypesInfo.Types[call.Args[0]].Value
	if value == nil || value.Kind() != constant.String {
		return false
	}
	text := constant.StringVal(value)
	return !strings.Contains(text, "%%") && (len(call.Args) > 1 || !strings.Contains(text, "%"))
}

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
