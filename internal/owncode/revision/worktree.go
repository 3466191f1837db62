package revision

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"path/filepath"
	"strings"

	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/safefile"
)

// CheckedOut reports whether the working tree's Go files and files of modules are the revision's. It compares their
// content itself, since git would run the filters of the repository.
func (r *Revision) CheckedOut(ctx context.Context) (bool, error) {
	out, err := git(ctx, r.Root, "ls-tree", "-r", "-z", "--full-tree", r.Commit)
	if err != nil {
		return false, err
	}
	hashes := map[string]string{} // by slash-separated path
	for entry := range strings.SplitSeq(out, "\x00") {
		meta, name, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(meta)
		if len(fields) == 3 && isSource(name) {
			hashes[name] = fields[2]
		}
	}
	different := errors.New("different")
	err = filepath.WalkDir(r.Root, func(file string, entry fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(r.Root, file)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || relErr != nil:
			return different
		case entry.IsDir() && file != r.Root && !isSourceFolder(entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || !isSource(filepath.ToSlash(name)):
			return nil
		}
		text, err := safefile.ReadLinked(file, name, userpkg.MaxSource)
		if want := hashes[filepath.ToSlash(name)]; err != nil || want != blobHash(text, len(want)) {
			return different
		}
		delete(hashes, filepath.ToSlash(name))
		return nil
	})
	if errors.Is(err, different) {
		return false, nil
	}
	return len(hashes) == 0, err
}

// isSource reports whether a file is one from which the go command builds, by its slash-separated path.
func isSource(name string) bool {
	folders := strings.Split(name, "/")
	base := folders[len(folders)-1]
	for _, folder := range folders[:len(folders)-1] {
		if !isSourceFolder(folder) {
			return false
		}
	}
	return strings.HasSuffix(base, ".go") || base == "go.mod" || base == "go.sum" || base == "go.work"
}

// isSourceFolder reports whether the go command looks for packages in a folder of that name.
func isSourceFolder(name string) bool {
	return !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_") && name != "testdata" && name != "node_modules"
}

// blobHash returns the name that git gives to a content, with so many digits.
func blobHash(text []byte, digits int) string {
	var h hash.Hash = sha1.New()
	if digits == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", len(text))
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil))
}
