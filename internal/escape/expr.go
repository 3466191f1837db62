package escape

import (
	"go/token"
	"regexp"
	"strings"
)

// The compiler prints expressions nearly as Go source: quotes and brackets are
// balanced.

// walk calls f with the index and the bracket depth of each byte of expr outside
// quotes, until f returns false. Brackets have the depth of what is around them.
func walk(expr string, f func(i, depth int) bool) {
	depth := 0
	for i := 0; i < len(expr); i++ {
		c := expr[i]
		switch c {
		case '"', '\'', '`':
			i = closingQuote(expr, i)
			continue
		case ')', ']', '}':
			depth--
		}
		if !f(i, depth) {
			return
		}
		switch c {
		case '(', '[', '{':
			depth++
		}
	}
}

// closingQuote returns the index of the quote that closes the one at i, or the
// last index of expr.
func closingQuote(expr string, i int) int {
	q := expr[i]
	for i++; i < len(expr); i++ {
		switch {
		case expr[i] == '\\' && q != '`':
			i++
		case expr[i] == q:
			return i
		}
	}
	return len(expr) - 1
}

// cutTop cuts expr around the first sep that is outside quotes and brackets.
func cutTop(expr, sep string) (before, after string, ok bool) {
	at := -1
	walk(expr, func(i, depth int) bool {
		if depth == 0 && strings.HasPrefix(expr[i:], sep) {
			at = i
		}
		return at < 0
	})
	if at < 0 {
		return expr, "", false
	}
	return expr[:at], expr[at+len(sep):], true
}

// assignment splits an assignment or definition.
func assignment(expr string) (lhs, rhs string, defines, ok bool) {
	if lhs, rhs, ok = cutTop(expr, " := "); ok {
		return lhs, rhs, true, true
	}
	lhs, rhs, ok = cutTop(expr, " = ")
	return lhs, rhs, false, ok
}

// call splits "f(args)" at the opening parenthesis of the last call.
func call(expr string) (callee, args string, ok bool) {
	if !strings.HasSuffix(expr, ")") {
		return "", "", false
	}
	open := -1
	walk(expr, func(i, depth int) bool {
		if depth == 0 && expr[i] == '(' {
			open = i
		}
		return true
	})
	if open <= 0 {
		return "", "", false
	}
	return expr[:open], expr[open+1 : len(expr)-1], true
}

// temporary and result stand for a variable that the compiler made, and for the result of an inlined function.
const (
	temporary = "a temporary value"
	result    = "the result"
)

// shown returns expr as it reads in a sentence: shape types become plain types,
// names that the compiler generated become descriptions, and long expressions are cut.
func shown(expr string) string {
	switch {
	case strings.HasPrefix(expr, "~r") && token.IsIdentifier(expr[1:]):
		return result
	case expr == "{temp}" || strings.HasPrefix(expr, ".autotmp_") && token.IsIdentifier(expr[1:]):
		return temporary
	case expr == "func literal":
		return "the closure"
	case expr == "<node DYNAMICTYPE>": // one that depends on a type parameter: new(node[T])
		return "value of a generic type"
	}
	expr = madeName.ReplaceAllString(withoutStructs(short(expr)), "…")
	const most = 48
	if r := []rune(expr); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return expr
}

// unqualified returns expr without the names of packages before variables. The compiler puts them before the variables
// of functions that are inlined from other packages, so that "b.buf" of package bytes is "bytes.b.buf". packages are
// the names of the packages of the functions that are inlined at the position of expr.
func unqualified(expr string, packages []string) string {
	if callee, _, isCall := call(expr); len(packages) == 0 || isCall && callee == "new" {
		return expr
	}
	if _, isLiteral := literalType(expr); isLiteral {
		return expr
	}
	var b strings.Builder
	done := 0
	walk(expr, func(i, _ int) bool {
		if i > 0 && strings.IndexByte(letters+".]", expr[i-1]) >= 0 { // not the beginning of a name, or a type's
			return true
		}
		for _, pkg := range packages {
			if name, ok := strings.CutPrefix(expr[i:], pkg+"."); ok && isVariable(name) {
				b.WriteString(expr[done:i])
				done = i + len(pkg) + 1
			}
		}
		return true
	})
	return b.String() + expr[done:]
}

// isVariable reports whether an expression of another package, less the name of the package, begins with a variable:
// with a name that is not exported, and is neither of a function nor of a type.
func isVariable(expr string) bool {
	rest := strings.TrimLeft(expr, letters)
	return rest != expr && (expr[0] == '_' || expr[0] >= 'a' && expr[0] <= 'z') && !strings.HasPrefix(rest, "(") &&
		!strings.HasPrefix(rest, "{") && !strings.HasPrefix(rest, ")(")
}

// withoutStructs replaces type arguments that have a struct type by "[...]": the compiler prints the fields of the
// struct, not its name.
func withoutStructs(expr string) string {
	var b strings.Builder
	done, open, around := 0, -1, 0
	walk(expr, func(i, depth int) bool {
		switch {
		case open < 0 && expr[i] == '[':
			open, around = i, depth
		case open >= 0 && expr[i] == ']' && depth == around:
			if strings.Contains(expr[open:i], "struct {") && !strings.HasSuffix(expr[:open], "map") {
				b.WriteString(expr[done:open] + "[...]")
				done = i + 1
			}
			open = -1
		}
		return true
	})
	return b.String() + expr[done:]
}

// short removes the prefix of shape types and the folders of import paths from
// the names in expr: "int" for "go.shape.int", "list.Node" for
// "example.com/list.Node".
func short(expr string) string {
	const shape = "go.shape."
	var b strings.Builder
	done := 0
	walk(expr, func(i, depth int) bool {
		switch {
		case i < done:
		case strings.HasPrefix(expr[i:], shape):
			b.WriteString(expr[done:i])
			done = i + len(shape)
		case expr[i] == '/' && i > 0 && expr[i-1] != ' ': // a division has spaces around the slash
			from := i
			for from > done && strings.IndexByte(" ()[]{}*&,;:\"'`", expr[from-1]) < 0 {
				from--
			}
			b.WriteString(expr[done:from])
			done = i + 1
		}
		return true
	})
	return b.String() + expr[done:]
}

// basic has the types in conversions of constants, as the compiler prints them.
var basic = map[string]bool{
	"bool": true, "string": true, "uintptr": true, "byte": true, "rune": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true,
	"float32": true, "float64": true, "complex64": true, "complex128": true,
}

// constant reports whether s is certainly a constant: a literal, a literal
// converted to a basic type, or a converted nil.
func constant(s string) bool {
	if s == "true" || s == "false" {
		return true
	}
	if f, arg, ok := call(s); ok {
		return basic[f] && constant(arg) || arg == "nil" && strings.HasPrefix(f, "(")
	}
	if s != "" && strings.ContainsRune("\"'`", rune(s[0])) {
		return closingQuote(s, 0) == len(s)-1 && len(s) > 1
	}
	return number.MatchString(s)
}

// number matches a number, which may be complex: "(1 + 2i)".
var number = regexp.MustCompile(`^(-?\d[^ \[(]*|\(-?\d[^ \[(]* \+ -?\d[^ \[(]*i\))$`)
