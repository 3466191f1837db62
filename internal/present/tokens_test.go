package present

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContrast proves that the tokens meet WCAG 2.2 in both themes: 4.5:1 for text, 3:1 for what is drawn.
func TestContrast(t *testing.T) {
	for theme, name := range []string{"light", "dark"} {
		p := palette{declared(t), theme}
		hold := func(least float64, fronts, backs string) {
			t.Helper()
			for front := range strings.FieldsSeq(fronts) {
				for back := range strings.FieldsSeq(backs) {
					f, b := luminance(p.color(t, "var(--ots-"+front+")")), luminance(p.color(t, "var(--ots-"+back+")"))
					if ratio := (max(f, b) + 0.05) / (min(f, b) + 0.05); ratio < least {
						t.Errorf("%s: %s on %s has %.2f:1, want %v:1", name, front, back, ratio, least)
					}
				}
			}
		}
		hold(4.5, "ink muted link heap stack pass wrong vet", "ground panel")
		hold(4.5, "ink muted link heap", "heap-soft")
		hold(4.5, "ink muted vet", "vet-soft")
		hold(4.5, "ink muted wrong", "wrong-soft")
		hold(4.5, "ink muted link", "target")
		hold(4.5, "syn-keyword syn-string syn-literal syn-comment",
			"ground panel heap-soft stack-soft wrong-soft vet-soft target")
		hold(4.5, "ink", "stack-soft kind-escapes kind-boxes kind-grows kind-copies kind-called kind-other")
		hold(4.5, "muted", "heat-0")
		hold(4.5, "heat-low", "heat-1 heat-2")
		hold(4.5, "heat-high", "heat-3 heat-4")
		hold(4.5, "ground", "ink heap wrong vet") // a button's, a mark's
		hold(3, "edge", "ground panel")
	}
}

// TestResolve holds the test itself: what it makes of CSS.
func TestResolve(t *testing.T) {
	p := palette{map[string]string{
		"a": "light-dark(#fff, #000000)",
		"b": "color-mix(in srgb, var(--ots-a) 25%, #000)",
	}, 0}
	for expression, want := range map[string][3]float64{
		"var(--ots-a)":              {1, 1, 1},
		"var(--ots-b)":              {0.25, 0.25, 0.25},
		"light-dark(#000, #ff8000)": {0, 0, 0},
	} {
		if got := p.color(t, expression); got != want {
			t.Errorf("%s is %v, want %v", expression, got, want)
		}
	}
	if got := luminance([3]float64{1, 1, 1}); math.Abs(got-1) > 1e-9 {
		t.Errorf("white has luminance %v", got)
	}
}

// declared are the tokens as they are written, by name without "--ots-".
func declared(t *testing.T) map[string]string {
	tokens := map[string]string{}
	for _, m := range regexp.MustCompile(`--ots-([\w-]+):\s*([^;]+);`).FindAllStringSubmatch(Tokens, -1) {
		if _, again := tokens[m[1]]; !again { // later ones are for readers who want less motion
			tokens[m[1]] = m[2]
		}
	}
	if len(tokens) < 20 {
		t.Fatalf("read %d tokens", len(tokens))
	}
	return tokens
}

// A palette is the tokens in one theme: 0 is light, 1 is dark.
type palette struct {
	tokens map[string]string
	theme  int
}

// color resolves what tokens.css is written with: #rgb, #rrggbb, var(), light-dark() and color-mix(in srgb, COLOR N%,
// COLOR).
func (p palette) color(t *testing.T, expression string) [3]float64 {
	t.Helper()
	name, args := call(strings.TrimSpace(expression))
	switch {
	case name == "var" && p.tokens[strings.TrimPrefix(args[0], "--ots-")] != "":
		return p.color(t, p.tokens[strings.TrimPrefix(args[0], "--ots-")])
	case name == "light-dark" && len(args) == 2:
		return p.color(t, args[p.theme])
	case name == "color-mix" && len(args) == 3:
		first, percent, _ := cutLast(args[1], " ")
		share, err := strconv.ParseFloat(strings.TrimSuffix(percent, "%"), 64)
		if err != nil {
			t.Fatalf("%s: %v", expression, err)
		}
		a, b := p.color(t, first), p.color(t, args[2])
		for i := range a {
			a[i] = a[i]*share/100 + b[i]*(1-share/100)
		}
		return a
	case strings.HasPrefix(expression, "#"):
		digits := expression[1:]
		if len(digits) == 3 {
			digits = fmt.Sprintf("%[1]c%[1]c%[2]c%[2]c%[3]c%[3]c", digits[0], digits[1], digits[2])
		}
		if n, err := strconv.ParseUint(digits, 16, 32); err == nil && len(digits) == 6 {
			return [3]float64{float64(n>>16) / 255, float64(n>>8&0xff) / 255, float64(n&0xff) / 255}
		}
	}
	t.Fatalf("no color: %q", expression)
	return [3]float64{}
}

// call splits "name(a, b)" into its name and its arguments.
func call(expression string) (name string, args []string) {
	name, rest, found := strings.Cut(expression, "(")
	if !found {
		return "", nil
	}
	depth, from := 0, 0
	rest = strings.TrimSuffix(rest, ")")
	for i, c := range rest {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			args = append(args, strings.TrimSpace(rest[from:i]))
			from = i + 1
		}
	}
	return name, append(args, strings.TrimSpace(rest[from:]))
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// luminance is the relative luminance of a color.
func luminance(color [3]float64) float64 {
	part := func(c float64) float64 {
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*part(color[0]) + 0.7152*part(color[1]) + 0.0722*part(color[2])
}
