package userpkg

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestGoFlags(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
		err  string
	}{
		{text: ""},
		{text: " -json  -x --v -work ", want: nil},
		{text: "-json=false -race", want: []string{"-race"}},
		{text: "-n", err: "GOFLAGS has -n, with which Go prints commands and builds nothing"},
		{text: "--n=true", err: "GOFLAGS has --n=true"},
		{text: "-n=false -tags=a,b", want: []string{"-tags=a,b"}},
		{text: "-overlay=o.json", err: "GOFLAGS has -overlay=o.json, and checkalloc needs an overlay"},
		{text: "-overlay=", want: nil},
		{text: "-compiler=gccgo", err: "GOFLAGS has -compiler=gccgo"},
		{text: "-compiler=gc", want: nil},
		{text: `-mod=mod "-gcflags=-N -l" '-ldflags=-X "m.v=a b"'`,
			want: []string{"-mod=mod", "-gcflags=-N -l", `-ldflags=-X "m.v=a b"`}},
		{text: `-mod=mod "-gcflags=-N`, err: "a quote is not closed"},
	} {
		got, err := parseGoFlags(test.text)
		if !slices.Equal(got, test.want) || (err == nil) != (test.err == "") ||
			err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q: %q, %v", test.text, got, err)
		}
		again, err := parseGoFlags(strings.TrimPrefix(got.setting(), "GOFLAGS="))
		if err != nil || !slices.Equal(again, got) {
			t.Errorf("%q: the setting %q is read as %q, %v", test.text, got.setting(), again, err)
		}
	}
}

func TestPerPackage(t *testing.T) {
	root := t.TempDir()
	for _, test := range []struct{ flags, want string }{
		{"", "-gcflags=-m=2"},
		{"-race -ldflags=-w", "-gcflags=-m=2"},
		{"-gcflags=-l", "-gcflags=-l -m=2"},
		{"--gcflags=all=-N", "-gcflags=-N -m=2"},
		{"'-gcflags=all=-N -l'", "-gcflags=-N -l -m=2"},
		{`"-gcflags=-d 'a b'"`, "-gcflags=-d 'a b' -m=2"},
		{"-gcflags=std=-N", "-gcflags=-m=2"},
		{"-gcflags=cmd=-N", "-gcflags=-m=2"},
		{"-gcflags=example.com/m/p=-N", "-gcflags=-N -m=2"},
		{"-gcflags=example.com/m/...=-N", "-gcflags=-N -m=2"},
		{"-gcflags=example.com/m/p/...=-N", "-gcflags=-N -m=2"},
		{"-gcflags=...m/p=-N", "-gcflags=-N -m=2"},
		{"-gcflags=example.com/m=-N", "-gcflags=-m=2"},
		{"-gcflags=./p=-N", "-gcflags=-N -m=2"},
		{"-gcflags=./...=-N", "-gcflags=-N -m=2"},
		{"-gcflags=./q=-N", "-gcflags=-m=2"},
		{"-gcflags=all=-N -gcflags=-l", "-gcflags=-l -m=2"},
		{"-gcflags=-l -gcflags=all=-N", "-gcflags=-N -m=2"},
		{"-gcflags=-l -gcflags=std=-N", "-gcflags=-l -m=2"},
		{"-gcflags=all=-N -gcflags=", "-gcflags=-m=2"},
	} {
		flags, err := parseGoFlags(test.flags)
		if err != nil {
			t.Fatal(err)
		}
		p := &Package{Metadata: Metadata{ImportPath: "example.com/m/p", Dir: filepath.Join(root, "p")},
			config: Config{Dir: root}, goroot: "/go", goFlags: flags}
		p.Module.Path, p.Module.Dir = "example.com/m", root
		if got := p.perPackage("gcflags", "-m=2"); got != test.want {
			t.Errorf("%s: %q, not %q", test.flags, got, test.want)
		}
	}
}

func TestGoFlagsForOthers(t *testing.T) {
	flags, err := parseGoFlags("-gcflags=-l -gcflags=strings=-B '-gcflags=example.com/m/...=-N -l'")
	if err != nil {
		t.Fatal(err)
	}
	p := &Package{Metadata: Metadata{ImportPath: "example.com/m/p"}, goFlags: flags}
	p.Module.Path = "example.com/m"
	got := p.forOthers("gcflags", []string{"example.com/m/q", "strings", "fmt"}, "-m=2")
	want := []string{"-gcflags=example.com/m/q=-N -l -m=2", "-gcflags=strings=-B -m=2", "-gcflags=fmt=-m=2"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
