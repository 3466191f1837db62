package gocommand

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

// Sources returns the files of the module at root that are compiled into or embedded in the packages and all that they
// import, directly or not. It leaves out tests and their data. The variables env, such as "GOOS=js", are added to the
// go command's environment, and so can set the platform. The names are sorted, slash-separated and relative to root.
func Sources(root string, env []string, packages ...string) (names []string, err error) {
	type listed struct {
		ImportPath string
		Module     *struct {
			Path string
			Main bool
		}
		GoFiles, CgoFiles, SFiles, EmbedFiles []string
	}
	args := append([]string{"-deps", "-json=ImportPath,Module,GoFiles,CgoFiles,SFiles,EmbedFiles"}, packages...)
	all, err := List[listed](context.Background(), Options{Dir: root, Env: append(os.Environ(), env...)}, args...)
	if err != nil {
		return nil, fmt.Errorf("list the code of %s: %w", strings.Join(packages, " "), err)
	}
	for _, p := range all {
		if p.Module == nil || !p.Module.Main {
			continue // go.sum and the release of Go stand for other modules
		}
		dir := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/")
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, p.SFiles, p.EmbedFiles) {
			// The harness embeds folders whole, and leaves the tests in them out of what it builds.
			if !strings.HasSuffix(file, "_test.go") {
				names = append(names, path.Join(dir, file))
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
