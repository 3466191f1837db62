package printable

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile are texts of strangers, and how they are printed.
var hostile = []struct{ name, text, want string }{
	{"plain", "a\tb\nc: d\n", "a\tb\nc: d\n"},
	{"letters of the world", "naïve 世界 🙂", "naïve 世界 🙂"},
	{"colors", "\x1b[31mred\x1b[0m", "�[31mred�[0m"},
	{"a terminal's title", "\x1b]0;title\x07", "�]0;title�"},
	{"C1", "a\u009b2Jb\u0090", "a�2Jb�"},
	{"C1 as bytes", "a\x9b2J", "a�2J"},
	{"NUL, backspace, DEL", "a\x00\b\x7f", "a���"},
	{"no UTF-8", "a\xff\xc0\x80\xed\xa0\x80", "a��" + strings.Repeat("�", 4)},
	{"carriage returns", "one\r\ntwo\rthree\r", "one\ntwo�three"},
	{"bidirectional", "a\u202eb\u2066c\u200fd", "a⟨U+202E⟩b⟨U+2066⟩c⟨U+200F⟩d"},
	{"unseen", "a\u200bb\ufeffc\u00add", "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+00AD⟩d"},
	{"tags", "a\U000e0041", "a⟨U+E0041⟩"},
	{"other ends of lines", "a\u2028b\u2029c\u0085d", "a⟨U+2028⟩b⟨U+2029⟩c⟨U+0085⟩d"},
	{"no characters", "a\ufffe\uffff\ufdd0", "a���"},
	{"a command", "::error file=a.go::x", ": :error file=a.go::x"},
	{"a command on a later line", "a\n::error::x", "a\n: :error::x"},
	{"a command behind blanks", "a\n \t\u00a0\u3000::error::x", "a\n \t\u00a0\u3000: :error::x"},
	{"a command behind a carriage return", "a\r::error::x", "a�::error::x"},
	{"a command behind what is not seen", "\x00\u200b::error::x", "�⟨U+200B⟩::error::x"},
	{"three colons", ":::error::x", ": ::error::x"},
	{"an address", "at [::1]:80 and std::string", "at [::1]:80 and std::string"},
	{"an older command", "x ##[set-output name=result;]y", "x ## [set-output name=result;]y"},
	{"of another service", "##vso[task.complete]\n##teamcity[x]\n###[x] # ##[y]",
		"##vso [task.complete]\n##teamcity [x]\n### [x] # ## [y]"},
	{"headings", "# one\n## two [x](y)\n#[x]", "# one\n## two [x](y)\n#[x]"},
}

func TestText(t *testing.T) {
	for _, c := range hostile {
		if got := Text(c.text); got != c.want {
			t.Errorf("%s: Text(%q) = %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// TestWriter proves that a Writer writes the same as Text returns, also if it is written in pieces, and that colors
// pass.
func TestWriter(t *testing.T) {
	write := func(parts ...string) string {
		t.Helper()
		var b bytes.Buffer
		w := NewWriter(&b)
		for _, part := range parts {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Errorf("%d of %d bytes, %v", n, len(part), err)
			}
		}
		return b.String()
	}
	for _, c := range hostile {
		if c.name == "colors" {
			continue
		}
		if got := write(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for _, c := range []struct {
		parts []string
		want  string
	}{
		{[]string{"\x1b[1;31m", "::error::x", "\x1b[0m\n"}, "\x1b[1;31m: :error::x\x1b[0m\n"},
		{[]string{":", ":error"}, ": :error"},
		{[]string{"#", "#", "[error]"}, "## [error]"},
		{[]string{"a\n", "  ", "::x"}, "a\n  : :x"},
		{strings.Split("a 世界\n::🙂", ""), "a 世界\n: :🙂"},
		{[]string{"\xe4\xb8", "\x96", "\xc2", "\x9b2J"}, "世�2J"},
		{[]string{"\x1b[2J\x1b[1A\x1b[?25l\x1b[31"}, "�[2J�[1A�[?25l�[31"},
	} {
		if got := write(c.parts...); got != c.want {
			t.Errorf("%q: %q, want %q", c.parts, got, c.want)
		}
	}
}

// TestJSON: the values are the same, and the text has nothing that Clean replaces and no mark.
func TestJSON(t *testing.T) {
	for _, c := range hostile {
		jsonSame(t, c.text)
		jsonSame(t, strings.Repeat("x", maxPiece-2)+c.text) // behind the quote, the end of a piece cuts a character
	}
}

func jsonSame(t *testing.T, text string) {
	t.Helper()
	var want, got string
	encoded, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(encoded, &want); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.NewEncoder(JSON(&b)).Encode(text); err != nil {
		t.Fatal(err)
	}
	var pieces bytes.Buffer
	for w := JSON(&pieces); len(encoded) > 0; encoded = encoded[1:] {
		w.Write(encoded[:1])
	}
	if pieces.String()+"\n" != b.String() {
		t.Errorf("%q: %s, in pieces %s", text, b.Bytes(), pieces.Bytes())
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got != want {
		t.Errorf("%q: %s is %q, %v", text, b.Bytes(), got, err)
	}
	if Text(b.String()) != b.String() {
		t.Errorf("%q is written as %s", text, b.Bytes())
	}
}

var command = regexp.MustCompile(`(?m)^\s*::|##\pL*\[`)

func FuzzText(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Text(text)
		if command.MatchString(got) || !utf8.ValidString(got) {
			t.Errorf("%q becomes %q", text, got)
		}
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Cf, r) {
				t.Errorf("%q becomes %q", text, got)
			}
		}
		if again := Text(got); again != got {
			t.Errorf("%q becomes %q, and then %q", text, got, again)
		}
		var b bytes.Buffer
		if NewWriter(&b).Write([]byte(got)); b.String() != got {
			t.Errorf("Text has %q and a Writer %q", got, b.String())
		}
		jsonSame(t, text)
	})
}
