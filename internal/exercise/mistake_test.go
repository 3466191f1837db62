package exercise

import "testing"

// TestFingerprint tests what changes the hash of files, and what does not.
func TestFingerprint(t *testing.T) {
	const text = "package a\n\nfunc F(a, b int) int {\n\treturn a + b\n}\n"
	hash := func(name, text string) string { return Fingerprint(map[string][]byte{name: []byte(text)}) }
	want := hash("a.go", text)
	for _, c := range []struct {
		what, name, text string
		same             bool
	}{
		{"comments", "a.go",
			"// Package a.\npackage a\n\nfunc F(a, b int) int { /* the sum */\n\treturn a + b // of both\n}\n", true},
		{"line breaks", "a.go", "package a; func F(\n\ta,\n\tb int,\n) int {\n\treturn a +\n\t\tb\n}", true},
		{"another operator", "a.go", "package a\n\nfunc F(a, b int) int {\n\treturn a - b\n}\n", false},
		{"another name", "a.go", "package a\n\nfunc F(a, c int) int {\n\treturn a + c\n}\n", false},
		{"another file", "b.go", text, false},
		{"a file that is not correct", "a.go", "package a\n\nfunc F(a, b int) int {\n\treturn \"\n", false},
		{"no Go", "a.go", "\x00\xff`", false},
		{"nothing", "a.go", "", false},
	} {
		if got := hash(c.name, c.text); (got == want) != c.same {
			t.Errorf("%s: the hash is the same: %t, want %t", c.what, got == want, c.same)
		}
	}
}
