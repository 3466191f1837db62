package build_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/internal/build"
)

// serveModule writes a module with one version into a folder that serves as a module proxy.
func serveModule(t *testing.T, proxy, path string, files map[string]string) {
	t.Helper()
	const version = "v1.0.0"
	dir := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"list": version + "\n", version + ".info": `{"Version":"` +
		version + `"}`, version + ".mod": files["go.mod"]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(dir, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, text := range files {
		w, err := z.Create(path + "@" + version + "/" + name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestProofModules proves that modules come from the machine's own proxy, and from nowhere else.
func TestProofModules(t *testing.T) {
	both(t)
	proxy, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte("hidden treasure\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	serveModule(t, proxy, "example.com/good", map[string]string{"go.mod": "module example.com/good\n\ngo 1.20\n",
		"good.go": "package good\n\nfunc Say() { println(\"good\") }\n\nfunc Other()\n",
		"other.s": "#include \"textflag.h\"\n"})
	serveModule(t, proxy, "example.com/wrong", map[string]string{"go.mod": "module example.com/wrong\n",
		"wrong.go": "package wrong\n\nfunc F() { x }\n"})
	serveModule(t, proxy, "example.com/thief", map[string]string{"go.mod": "module example.com/thief\n",
		"thief.go": "package thief\n\nfunc F()\n", "thief.s": "#include \"textflag.h\"\n#/**/include \"" +
			secret + "\"\n"})
	serveModule(t, proxy, "example.com/thief2", map[string]string{"go.mod": "module example.com/thief2\n",
		"thief.go": "package thief2\n\nfunc F()\n", "thief_wasm.s": "#include \"textflag.h\"\n",
		"textflag.h": "#include \"" + secret + "\"\n"})
	serveModule(t, proxy, "example.com/new", map[string]string{"go.mod": "module example.com/new\n\ngo 1.99\n",
		"new.go": "package new\n"})
	t.Setenv("GOPROXY", "file://"+proxy+",direct")
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOFLAGS", "-mod=vendor") // it is not the caller's to say

	dir, err := build.SharedFolder()
	if err != nil {
		t.Fatal(err)
	}
	toolchains := map[bool]*build.Isolated{}
	for _, modules := range []bool{true, false} {
		limits := build.StrangerLimits()
		limits.Time = time.Minute
		tools, err := build.OpenIsolated(dir, limits, build.IsolatedOptions{Modules: modules})
		if err != nil {
			t.Fatal(err)
		}
		defer tools.Close()
		if err := tools.Prepare(t.Context(), "fmt"); err != nil {
			t.Fatal(err)
		}
		toolchains[modules] = tools
	}
	for _, c := range []struct {
		name    string
		modules bool
		files   []string
		ok      bool
		want    string
	}{
		{"found", true, []string{"prog.go",
			"package main\n\nimport \"example.com/good\"\n\nfunc main() { good.Say() }\n"}, true, "good\nexit 0"},
		{"required", true, []string{"prog.go", "package main\n\nimport \"example.com/good\"\n\nfunc main() { " +
			"good.Say() }\n", "go.mod", "module m\n\nrequire example.com/good v1.0.0\n"}, true, "good\nexit 0"},
		{"replaced", true, []string{"prog.go", "package main\n\nimport \"better\"\n\nfunc main() { good.Say() }\n",
			"go.mod", "module m\n\nrequire better v1.0.0\n\nreplace better => example.com/good v1.0.0\n"},
			true, "good\nexit 0"},
		{"a mistake in it", true, []string{"prog.go", "package main\n\nimport \"example.com/wrong\"\n\nfunc " +
			"main() { wrong.F() }\n"}, false,
			"# example.com/wrong\nexample.com/wrong@v1.0.0/wrong.go:3:12: undefined: x\n"},
		{"not there", true, []string{"prog.go", "package main\n\nimport _ \"example.com/nosuch\"\n\nfunc main() {}\n"},
			false, "prog.go:3:8: "},
		{"of a version that is not there", true,
			[]string{"prog.go", "package main\n\nimport _ \"example.com/good\"\n\nfunc main() {}\n", "go.mod",
				"module m\n\nrequire example.com/good v1.2.3\n"}, false, "example.com/good@v1.2.3: reading $GOPROXY"},
		{"that is too new", true, []string{"prog.go", "package main\n\nimport _ \"example.com/new\"\n\nfunc " +
			"main() {}\n"}, false, "example.com/new@v1.0.0 requires go >= 1.99"},
		{"with assembly that includes a file", true,
			[]string{"prog.go", "package main\n\nimport \"example.com/thief\"\n\nfunc main() { thief.F() }\n"},
			false, "example.com/thief@v1.0.0/thief.s: assembly that includes other files cannot be built here\n"},
		{"with a header that includes a file", true,
			[]string{"prog.go", "package main\n\nimport \"example.com/thief2\"\n\nfunc main() { thief2.F() }\n"}, false,
			"example.com/thief2@v1.0.0/textflag.h: assembly that includes other files cannot be built here\n"},
		{"in a closed room", false, []string{"prog.go", "package main\n\nimport \"example.com/good\"\n\nfunc " +
			"main() { good.Say() }\n"}, false, "module lookup disabled by GOPROXY=off"},
		{"required in a closed room", false,
			[]string{"prog.go", "package main\n\nimport \"example.com/good\"\n\nfunc main() { good.Say() }\n", "go.mod",
				"module m\n\nrequire example.com/good v1.0.0\n"}, false, "module lookup disabled by GOPROXY=off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools := toolchains[c.modules]
			b := built(t)(tools.Build(t.Context(), program(c.files...)))
			said := string(b.Output)
			if b.OK {
				if said != "" {
					t.Errorf("a build that succeeds says %q", said)
				}
				said = run(t, b.Binary)
			}
			if b.OK != c.ok || !strings.Contains(said, c.want) {
				t.Errorf("OK %v, %q %q, want %q", b.OK, said, b.Stop, c.want)
			}
			for _, hidden := range append(hiddenPaths(t), proxy, "hidden treasure") {
				if strings.Contains(said, hidden) {
					t.Errorf("%s is in %q", hidden, said)
				}
			}
			if !b.OK {
				vet, err := tools.Vet(t.Context(), program(c.files...))
				if err != nil || vet.OK || strings.Contains(string(vet.Output), "hidden treasure") {
					t.Errorf("vet says %q, %v", vet.Output, err)
				}
			}
		})
	}
}
