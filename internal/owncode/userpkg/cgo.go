package userpkg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// goAlone reports whether the Go code of a package with cgo can be compiled without the go command, which would compile
// its C code again for each new set of flags.
func (p *Package) goAlone(m *Metadata) bool {
	special := slices.ContainsFunc(p.goFlags, func(flag string) bool {
		name, _ := cutFlag(flag)
		return slices.Contains([]string{"race", "msan", "asan", "cover", "toolexec"}, name)
	})
	return len(m.CgoFiles) > 0 && len(m.EmbedPatterns) == 0 && !m.Standard && !special
}

// cgo runs the tool cgo on the package's files that import C, and returns the Go files that it writes into the folder
// work. It compiles no C code except for the types of what Go code uses.
func (p *Package) cgo(ctx context.Context, m *Metadata, work string, env []string) (files []string, err error) {
	settings, err := p.config.settings(ctx, env, "CGO_CFLAGS", "CGO_CPPFLAGS", "PKG_CONFIG")
	if err != nil {
		return nil, err
	}
	flags := []string{"-I", work}
	for _, text := range []string{settings["CGO_CPPFLAGS"], settings["CGO_CFLAGS"]} {
		args, ok := splitQuoted(text)
		if !ok {
			return nil, fmt.Errorf("%s: a quote is not closed", text)
		}
		flags = append(flags, args...)
	}
	flags = slices.Concat(flags, m.CgoCPPFLAGS, m.CgoCFLAGS)
	if len(m.CgoPkgConfig) > 0 {
		cmd := exec.CommandContext(ctx, settings["PKG_CONFIG"], append([]string{"--cflags", "--"}, m.CgoPkgConfig...)...)
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s --cflags: %w", settings["PKG_CONFIG"], err)
		}
		flags = append(flags, strings.Fields(string(out))...)
	}
	config := p.config
	config.Dir = p.Dir
	args := slices.Concat([]string{"tool", "cgo", "-objdir", work + string(filepath.Separator),
		"-importpath", p.ImportPath, "--"}, flags, m.CgoFiles)
	if _, err := config.output(ctx, append(slices.Clone(env), "CGO_LDFLAGS="), args...); err != nil {
		return nil, err
	}
	files = []string{filepath.Join(work, "_cgo_gotypes.go")}
	for _, name := range m.CgoFiles {
		files = append(files, filepath.Join(work, strings.TrimSuffix(name, ".go")+".cgo1.go"))
	}
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			return nil, fmt.Errorf("cgo wrote no %s", filepath.Base(file))
		}
	}
	return files, nil
}
