package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/shop.ts")

// TestFilesAreCurrent fails if the generated files differ from the Go types.
func TestFilesAreCurrent(t *testing.T) {
	texts, err := generate(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range texts {
		got, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("web/src/go/%s differs from the Go types: run \"make generate\" (%v)", name, err)
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if texts[e.Name()] == nil {
			t.Errorf("web/src/go/%s is not generated any more: remove it", e.Name())
		}
	}
}

const shop = "onthestack/tools/webtypes/testdata/shop"

func TestWrite(t *testing.T) {
	g := newGenerator()
	if err := g.load(".", []string{shop}); err != nil {
		t.Fatal(err)
	}
	got, err := g.write(file{
		name:      "shop.ts",
		about:     "A shop.",
		constants: []constantName{{"SHOP_SCHEMA", shop + ".Schema"}, {"MAX_GOODS", shop + ".MaxGoods"}},
		enums: []enum{{
			pkg: shop, constants: []string{"Open", "Closed"}, name: "State", list: "STATES",
			fields: []string{shop + ".Shop.State"}, empty: true,
		}},
		types: []string{shop + ".Shop"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/shop.ts"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (-update writes it): got\n%s", golden, got)
	}
	// A type is declared in one file only, from which the others import it.
	again, err := g.write(file{name: "more.ts", about: "More.", types: []string{shop + ".Order"}})
	if err != nil {
		t.Fatal(err)
	}
	imports := `import { Price, type Unit } from "./shop.ts";`
	for _, want := range []string{imports, "  price?: Price;", "  unit: Unit;"} {
		if !strings.Contains(string(again), want) {
			t.Errorf("more.ts has no %q:\n%s", want, again)
		}
	}
}

func TestRefused(t *testing.T) {
	loaded := newGenerator()
	if err := loaded.load(".", []string{shop}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, want string }{
		{"Embeds", "Embeds embeds Price"},
		{"Quoted", "Quoted.N is a number in a string"},
		{"Bytes", "Bytes.Data: webtypes cannot write type []byte"},
		{"Anything", "Anything.Any: webtypes cannot write type any"},
		{"Marshals", "Marshals.At: encoding/json.RawMessage encodes itself"},
		{"Numbered", "Numbered.By: webtypes cannot write type map[int]string"},
		{"Foreign", "Foreign.URL: net/url.Userinfo: its package is missing in tools/webtypes/types.go"},
		{"Gone", "testdata/shop.Gone is not declared"},
		{"Same", `would both be Price: give one another name in tools/webtypes/types.go`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGenerator()
			g.packages = loaded.packages
			_, err := g.write(file{name: "x.ts", types: []string{shop + "." + tt.name}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestComment(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, tt := range []struct{ indent, doc, want string }{
		{"", "", ""},
		{"  ", "In words.", "  /** In words. */\n"},
		{"", "a */ b", "/** a * / b */\n"},
		{"", "First.\n\nSecond\nline.", "/** First. Second line. */\n"},
		{"  ", long, "  /**\n   * " + long[:114] + "\n   * " + strings.TrimSpace(long[115:]) + "\n   */\n"},
	} {
		got := comment(tt.indent, tt.doc)
		if got != tt.want {
			t.Errorf("comment(%q, %q) = %q, want %q", tt.indent, tt.doc, got, tt.want)
		}
		for line := range strings.Lines(got) {
			if len(line) > width+1 {
				t.Errorf("%q is longer than %d columns", line, width)
			}
		}
	}
}
