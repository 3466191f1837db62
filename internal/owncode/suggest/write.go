package suggest

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/safefile"
)

// Write puts the new text of files into the folder of the package that was measured. It writes nothing if a file has
// changed since it was measured. Each file is replaced at once.
func Write(p *userpkg.Package, files map[string][]byte) error {
	if p.Copied() {
		return fmt.Errorf("%s is in the module cache, where nothing can be written: apply the diff to a copy "+
			"of the module", p.ImportPath)
	}
	modes := map[string]os.FileMode{}
	paths := map[string]string{}
	for name := range files {
		path, err := filepath.EvalSymlinks(filepath.Join(p.Dir, name))
		text, err2 := os.ReadFile(path)
		info, err3 := os.Stat(path)
		if err := cmp.Or(err, err2, err3); err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
		if !bytes.Equal(text, p.Texts[name]) {
			return fmt.Errorf("%s has changed since it was measured, so nothing was written: run suggest again", name)
		}
		paths[name], modes[name] = path, info.Mode().Perm()
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := safefile.Write(paths[name], files[name], modes[name]); err != nil {
			return err
		}
	}
	return nil
}
