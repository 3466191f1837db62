package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"onthestack/internal/exercise"
)

// Reset puts an exercise's pristine files back, and moves what was changed or is not the exercise's own into a new folder,
// whose name it returns, relative to the workspace; "" where nothing was changed. Where the backup or a pristine file cannot be
// written the exercise is left as it is.
func (w *Workspace) Reset(e *exercise.Exercise, now time.Time) (backup string, err error) {
	files, err := w.Files(e.ID)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(w.Root, "exercises", e.ID)
	var changed []string
	for name, text := range files {
		if pristine, ok := e.Files[name]; name != exercise.ManifestFile && !(ok && string(pristine) == string(text)) {
			changed = append(changed, name)
		}
	}
	if len(changed) > 0 {
		if backup, err = w.backup(dir, changed, e.ID+"-"+now.Format("20060102-150405.000")); err != nil {
			return "", fmt.Errorf("make the backup: %w; nothing was changed", err)
		}
	}
	// All that takes room on the disk is done beside the files that it is to replace.
	staged, err := w.stage(e, dir, files)
	if err != nil {
		if backup != "" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(w.Root, backup)))
		}
		return "", fmt.Errorf("put the starter back: %w; nothing was changed", err)
	}
	for name, beside := range staged {
		err = errors.Join(err, os.Rename(beside, filepath.Join(dir, name)))
	}
	for _, name := range changed {
		if _, pristine := staged[name]; !pristine {
			err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
		}
	}
	return backup, err
}

// backup copies files of the folder dir into a new folder of that name, or one like it, and returns its path in the workspace.
func (w *Workspace) backup(dir string, files []string, name string) (string, error) {
	parent := filepath.Join(stateDir, "backup")
	if err := os.MkdirAll(filepath.Join(w.Root, parent), 0o755); err != nil {
		return "", err
	}
	backup := filepath.Join(parent, name)
	err := os.Mkdir(filepath.Join(w.Root, backup), 0o755)
	for i := 2; errors.Is(err, fs.ErrExist) && i < 1000; i++ {
		backup = filepath.Join(parent, name+"-"+strconv.Itoa(i))
		err = os.Mkdir(filepath.Join(w.Root, backup), 0o755)
	}
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if err := copyFile(filepath.Join(w.Root, backup, file), filepath.Join(dir, file)); err != nil {
			return "", errors.Join(err, os.RemoveAll(filepath.Join(w.Root, backup)))
		}
	}
	return backup, nil
}

// copyFile copies a file with its times and its permissions.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, time.Time{}, info.ModTime())
}

// stage writes each pristine file that files has not, or has otherwise, into the folder dir under another name, and returns these
// names. On an error there are none.
func (w *Workspace) stage(e *exercise.Exercise, dir string, files map[string][]byte) (staged map[string]string, err error) {
	staged = map[string]string{}
	defer func() {
		if err != nil {
			for _, beside := range staged {
				os.Remove(beside)
			}
		}
	}()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for name, text := range e.Files {
		if is, ok := files[name]; ok && (name == exercise.ManifestFile || string(is) == string(text)) {
			continue
		}
		f, err := os.CreateTemp(dir, "."+name+".*")
		if err != nil {
			return staged, err
		}
		staged[name] = f.Name()
		_, err = f.Write(text)
		if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
			return staged, err
		}
	}
	return staged, nil
}
