package fix

import (
	"go/ast"
	"go/constant"
	"strings"

	"github.com/catenacyber/perfsprint/analyzer"
	"golang.org/x/tools/go/analysis"
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
