package workspace

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"onthestack/internal/exercise"
	"onthestack/internal/safefile"
)

// Reset restores an exercise's pristine files. It moves files that were changed, and files that are not part of the
// exercise, into a new folder, and returns that folder's path in the workspace, or "" if there were none. If the backup
// or a pristine file cannot be written, the exercise stays as it is.
func (w *Workspace) Reset(e *exercise.Exercise, now time.Time) (backup string, err error) {
	files, err := w.Files(e.ID)
	if err != nil {
		return "", err
	}
	var changed []string
	for name, text := range files {
		if pristine, ok := e.Files[name]; name != exercise.ManifestFile && !(ok && string(pristine) == string(text)) {
			changed = append(changed, name)
		}
	}
	root, err := w.folder(e.Dir(), true)
	if err != nil {
		return "", fmt.Errorf("put the starter back: %w; nothing was changed", err)
	}
	defer root.Close()
	if len(changed) > 0 {
		if backup, err = w.backup(root, changed, backupName(e, now)); err != nil {
			return "", fmt.Errorf("make the backup: %w; nothing was changed", err)
		}
	}
	// All new content is on the disk before the first file is replaced, so that a full disk changes nothing.
	staged, err := stage(w.pristine(e), root, files)
	if err != nil {
		if backup != "" {
			err = errors.Join(err, os.RemoveAll(filepath.Join(w.Root, backup)))
		}
		return "", fmt.Errorf("put the starter back: %w; nothing was changed", err)
	}
	for name, temp := range staged {
		err = errors.Join(err, root.Rename(temp, name))
	}
	for _, name := range changed {
		if _, pristine := staged[name]; !pristine {
			err = errors.Join(err, root.Remove(name))
		}
	}
	return backup, err
}

// backupName returns the name of the folder for a backup of an exercise.
func backupName(e *exercise.Exercise, now time.Time) string {
	return e.ID + "-" + now.Format("20060102-150405.000")
}

// pristine returns the files that the exercise's folder has at first. Only in the clone it has a manifest.
func (w *Workspace) pristine(e *exercise.Exercise) map[string][]byte {
	files := maps.Clone(e.Files)
	if w.IsClone() {
		files[exercise.ManifestFile] = e.ManifestText
	}
	return files
}

// backup copies files of the folder root into a new folder with this name, or with a number added, and returns its path
// in the workspace.
func (w *Workspace) backup(root *os.Root, files []string, name string) (backup string, err error) {
	parent, err := w.folder(stateDir+"/backup", true)
	if err != nil {
		return "", err
	}
	defer parent.Close()
	made := name
	err = parent.Mkdir(made, 0o755)
	for i := 2; errors.Is(err, fs.ErrExist) && i < 1000; i++ {
		made = name + "-" + strconv.Itoa(i)
		err = parent.Mkdir(made, 0o755)
	}
	if err != nil {
		return "", err
	}
	to, err := safefile.Folder(parent, made)
	if err != nil {
		return "", err
	}
	defer to.Close()
	for _, file := range files {
		if err := copyFile(to, root, file); err != nil {
			return "", errors.Join(err, parent.RemoveAll(made))
		}
	}
	return filepath.Join(stateDir, "backup", made), nil
}

// maxBackup is the size limit in bytes of a file in a backup. Test binaries and profiles, which the go command leaves
// behind, are smaller.
const maxBackup = 64 << 20

// copyFile copies a file with its times and its permissions.
func copyFile(to, from *os.Root, name string) error {
	text, err := safefile.Read(from, name, name, maxBackup)
	if err != nil {
		return err
	}
	info, err := from.Stat(name)
	if err != nil {
		return err
	}
	if err := create(to, name, 0, info.Mode().Perm()|0o200, text); err != nil {
		return err
	}
	return to.Chtimes(name, time.Time{}, info.ModTime())
}

// stage writes each pristine file that is missing from files, or differs there, into the folder root under a temporary
// name, with the permissions of the file that it is to replace. It returns the temporary names by the names of the files.
// After an error, it leaves none of these files.
func stage(pristine map[string][]byte, root *os.Root, files map[string][]byte) (staged map[string]string, err error) {
	staged = map[string]string{}
	defer func() {
		if err != nil {
			for _, temp := range staged {
				root.Remove(temp)
			}
		}
	}()
	for name, text := range pristine {
		if present, ok := files[name]; ok && (name == exercise.ManifestFile || string(present) == string(text)) {
			continue
		}
		temp := "." + name + "." + rand.Text()
		// Without O_SYNC, the rename may reach the disk before the content.
		if err := create(root, temp, os.O_SYNC, 0o644, text); err != nil {
			return staged, err
		}
		staged[name] = temp
		if info, err := root.Stat(name); err == nil {
			if err := root.Chmod(temp, info.Mode().Perm()|0o200); err != nil {
				return staged, err
			}
		}
	}
	return staged, nil
}
