package expand

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// show writes what is known of a directive.
func show(d Directive) (string, error) {
	text := fmt.Sprintf("<%s %q line %d", d.Name, d.Args, d.Line)
	if d.Alone {
		text += fmt.Sprintf(" alone %q", d.Indent)
	}
	return text + ">", nil
}

func TestExpand(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"none", "text {{ #x}} {#x}\n", "text {{ #x}} {#x}\n"},
		{"inline", "a {{#f x y}} b", `a <f ["x" "y"] line 1> b`},
		{"two in a line", "{{#f x}}{{#g}}", `<f ["x"] line 1><g [] line 1>`},
		{"alone", "a\n\n  {{#f  x\t y }}\t\nb", "a\n\n  <f [\"x\" \"y\"] line 3 alone \"  \">\t\nb"},
		{"quoted", `{{#f a.svg "say \"it\" }} \\ ü"}}`, `<f ["a.svg" "say \"it\" }} \\ ü"] line 1 alone "">`},
		{"expression", `{{#f \.Replace$ a{2}b ^x}}`, `<f ["\\.Replace$" "a{2}b" "^x"] line 1 alone "">`},
		{"no name", "{{#}}", `< [] line 1 alone "">`},
		{"literal", `\{{#f}} and {{#f}}`, `{{#f}} and <f [] line 1>`},
		{"literal after a directive", `{{#f}}\{{#f}}`, `<f [] line 1>{{#f}}`},
		{"code span", "`{{#f}}` `` ` {{#f}} `` `\\{{#f}}` {{#f}}", "`{{#f}}` `` ` {{#f}} `` `\\{{#f}}` <f [] line 1>"},
		{"code span over lines", "`a\n{{#f}}\nb`", "`a\n{{#f}}\nb`"},
		{"fence", "```go\n{{#f}}\n```\n{{#f}}", "```go\n{{#f}}\n```\n<f [] line 4 alone \"\">"},
		{"tilde fence", "~~~\n{{#f}} \\{{#f}}\n~~~\n", "~~~\n{{#f}} \\{{#f}}\n~~~\n"},
		{"fence in a list", "- a\n  ```\n  {{#f}}\n  ```\n", "- a\n  ```\n  {{#f}}\n  ```\n"},
		{"indented code", "a\n\n    {{#f}}\n", "a\n\n    {{#f}}\n"},
		{"in HTML", "<p>\n{{#f}}\n</p>\n", "<p>\n<f [] line 2 alone \"\">\n</p>\n"},
		{"carriage returns", "a\r\n{{#f x}}\r\nb\r\n", "a\r\n<f [\"x\"] line 2 alone \"\">\r\nb\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := Parse(test.source).Expand("p.md", show)
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestExpandErrors(t *testing.T) {
	fail := func(d Directive) (string, error) {
		if d.Name == "bad" {
			return "", errors.New("no good")
		}
		return "", nil
	}
	source := "{{#open x\n{{#ok}} {{#bad 1}}\n\n{{#bad 2}} {{#ok \"unclosed}}\n"
	want := []string{
		`p.md:1: {{#open x…: the directive does not end on its line: close it with "}}"`,
		"p.md:2: no good",
		"p.md:4: no good",
		`p.md:4: {{#ok "unclosed}}…: the quotation does not end on its line: close it with a quotation mark`,
	}
	_, err := Parse(source).Expand("p.md", fail)
	if err == nil {
		t.Fatal("no error")
	}
	if got := strings.Split(err.Error(), "\n"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", err, strings.Join(want, "\n"))
	}
}

func TestDetails(t *testing.T) {
	source := "<details><summary>a</summary>\nb\n</details>\n\n`<details>`\n\n" +
		"<details>\nc\n<details>\nd\n</details>\n</details>\n<details>\n"
	_, err := Parse(source).Expand("p.md", show)
	want := "p.md:7: <details> is not closed: add </details> after its text\n" +
		"p.md:12: </details> ends nothing: remove it\n" +
		"p.md:13: <details> is not closed: add </details> after its text"
	if fmt.Sprint(err) != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestIndexLinks(t *testing.T) {
	source := "[a](README.md) [b](../x/README.md#y \"t\") [c](<x/README.md>) [d](https://go.dev/README.md)\n" +
		"`[e](README.md)` README.md [f](MYREADME.md)\n\n```\n[g](README.md)\n```\n\n[r]: x/README.md\n"
	want := "[a](index.md) [b](../x/index.md#y \"t\") [c](<x/index.md>) [d](https://go.dev/README.md)\n" +
		"`[e](README.md)` README.md [f](MYREADME.md)\n\n```\n[g](README.md)\n```\n\n[r]: x/index.md\n"
	if got := Parse(source).IndexLinks(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTitle(t *testing.T) {
	for source, want := range map[string]string{
		"\n\n# On `the` *Stack*!\n\n# Two\n": "On the Stack!",
		"text\n\nSetext\n------\n":           "Setext",
		"```\n# code\n```\n":                 "",
	} {
		if got := Parse(source).Title(); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

// In a drawing nothing is code, whatever Markdown would think of it.
func TestPlain(t *testing.T) {
	source := "<svg>\n\n    <text>`{{#f x}}` \\{{#f}}</text>\n</svg>\n"
	want := "<svg>\n\n    <text>`<f [\"x\"] line 3>` {{#f}}</text>\n</svg>\n"
	if got, err := Plain(source).Expand("p.svg", show); err != nil || got != want {
		t.Errorf("got %q, error %v, want %q", got, err, want)
	}
}

// On any page, no directive is lost, and all other text stays as it is.
func FuzzDirectives(f *testing.F) {
	for _, seed := range []string{
		"a {{#f x}} b", "\\{{#f}}", "`{{#f}}`", "```\n{{#f}}\n```\n{{#g \"a\\\"b\"}}", "{{#f", "{{#f \"}}",
		"{{#}}{{#{{#}}}}",
		"    {{#f}}\n\n\t{{#g}}\r\n", "- `a\n  {{#f}}`",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		// Expanding each directive to itself changes nothing but literals, which lose their backslash.
		found := 0
		same, err := Parse(source).Expand("p.md", func(d Directive) (string, error) {
			found++
			if !strings.Contains(source, d.Text) || !strings.HasPrefix(d.Text, opening) ||
				!strings.HasSuffix(d.Text, closing) || strings.Contains(d.Text, "\n") {
				t.Errorf("directive %q", d.Text)
			}
			if line := 1 + strings.Count(source[:strings.Index(source, d.Text)], "\n"); d.Line < line {
				t.Errorf("directive %q on line %d, first on %d", d.Text, d.Line, line)
			}
			return d.Text, nil
		})
		if removed := len(source) - len(same); removed < 0 || removed > strings.Count(source, `\`+opening) {
			t.Errorf("expanded to %q", same)
		}
		if !strings.Contains(source, opening) && (found > 0 || err != nil || same != source) {
			t.Errorf("found %d, error %v", found, err)
		}
		if code := Parse(source).code; err == nil && found == 0 {
			for i := range source {
				if strings.HasPrefix(source[i:], opening) && !code.contain(i) && (i == 0 || source[i-1] != '\\') {
					t.Errorf("the directive at %d was passed over", i)
				}
			}
		}
	})
}
