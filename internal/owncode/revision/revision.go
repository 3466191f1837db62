// Package revision reads a commit of the user's git repository. It changes nothing in the repository, fetches nothing, and
// runs none of the repository's programs.
//
// Find returns the commit that a name stands for. Revision.CheckedOut compares it with the working tree, and
// Revision.Checkout writes its files into a temporary folder.
package revision

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"onthestack/internal/build"
)

// A Revision is a commit of a git repository: the one to which "compare --base" compares the working tree, or the one
// from which a program was built whose profile is explained.
type Revision struct {
	Folder string // from the repository's root to the folder that Find was called with
	Root   string // of the repository
	Commit string // its hash

	name string // as the user gave it
}

// Find returns the commit that name stands for in the repository around dir.
func Find(ctx context.Context, dir, name string) (*Revision, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("git is not on PATH")
	}
	out, err := git(ctx, dir, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, err
	}
	root, folder, _ := strings.Cut(out, "\n")
	if root == "" {
		return nil, errors.New("the repository has no working tree to compare with")
	}
	r := &Revision{name: name, Root: filepath.FromSlash(root), Folder: filepath.FromSlash(folder)}
	// After --end-of-options, a name that begins with a dash is not an option.
	if r.Commit, err = git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", name+
		"^{commit}"); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		hint := ""
		if shallow, err := git(ctx, dir, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
			hint = "; the clone is shallow, \"git fetch --unshallow\" gets the others"
		}
		return nil, fmt.Errorf("the repository has no such revision%s", hint)
	}
	return r, nil
}

// Label returns the revision's name and the beginning of its hash: "main (3fdbf65)".
func (r *Revision) Label() string {
	if strings.HasPrefix(r.Commit, r.name) {
		return r.name
	}
	return fmt.Sprintf("%s (%s)", r.name, r.Commit[:7])
}

// A Checkout is a revision's files in a temporary folder.
type Checkout struct {
	*Revision
	Tree       string // the folder of the repository's root
	temp       string // the folder around Tree
	submodules []string
}

// Checkout writes a revision's files into a temporary folder, as the repository stores them. It changes nothing in the
// repository and runs none of its programs, so it applies no filters and no conversion of line endings.
func (r *Revision) Checkout(ctx context.Context) (_ *Checkout, err error) {
	temp, err := os.MkdirTemp("", "checkalloc-base-")
	if err != nil {
		return nil, err
	}
	t := &Checkout{Revision: r, temp: temp}
	defer func() {
		if err != nil {
			err = errors.Join(t.Reword(err), t.Remove())
		}
	}()
	// Tools print the real path of a folder.
	if t.temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	t.Tree = filepath.Join(t.temp, "tree")
	if err := os.Mkdir(t.Tree, 0o700); err != nil {
		return nil, err
	}
	if err := t.write(ctx); err != nil {
		if _, absent := git(ctx, r.Root, "config", "extensions.partialClone"); absent == nil && ctx.Err() == nil {
			err = fmt.Errorf("%w; the clone is partial: check out the revision once to fetch its files", err)
		}
		return nil, fmt.Errorf("take %s out of the repository: %w", r.Label(),
			rewordedError{build.HideTempFiles(err.Error()), err})
	}
	return t, nil
}

// rawAttributes make git write files as they are stored. In info/attributes they take precedence over a tree's.
const rawAttributes = "* -text -ident -filter -working-tree-encoding\n"

// The modes of entries that are not plain files.
const (
	modeSymlink   = "120000"
	modeSubmodule = "160000"
)

// write lets git write the files. It does so in an empty repository that borrows the objects of the other one, whose
// settings, hooks and attributes are not read, and whose index and list of working trees do not change.
func (t *Checkout) write(ctx context.Context) error {
	out, err := git(ctx, t.Root, "rev-parse", "--git-path", "objects", "--show-object-format")
	if err != nil {
		return err
	}
	objects, format, _ := strings.Cut(out, "\n")
	if !filepath.IsAbs(objects) {
		objects = filepath.Join(t.Root, objects)
	}
	dir := filepath.Join(t.temp, "git")
	if _, err := git(ctx, t.temp, "init", "--quiet", "--bare", "--template=", "--object-format="+format, dir); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"info/attributes": rawAttributes, "objects/info/alternates": filepath.ToSlash(objects) + "\n",
	} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return err
		}
	}
	tree := []string{"--git-dir=" + dir, "--work-tree=" + t.Tree}
	if _, err := git(ctx, t.Tree, append(tree, "read-tree", "-m", "-u", t.Commit)...); err != nil {
		return err
	}
	entries, err := git(ctx, t.Tree, append(tree, "ls-files", "--stage", "-z")...)
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(entries, "\x00") {
		meta, name, _ := strings.Cut(entry, "\t")
		switch mode, _, _ := strings.Cut(meta, " "); mode {
		case modeSubmodule:
			t.submodules = append(t.submodules, name)
		case modeSymlink:
			if err := t.relink(filepath.FromSlash(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// relink makes a symbolic link that leads out of the repository lead to the same file as in the repository.
func (t *Checkout) relink(name string) error {
	link := filepath.Join(t.Tree, name)
	target, err := os.Readlink(link)
	if err != nil {
		return nil // git writes a file on a system without symbolic links
	}
	target = filepath.FromSlash(target)
	from := filepath.Join(filepath.Dir(name), target)
	if filepath.IsAbs(target) || filepath.IsLocal(from) {
		return nil
	}
	if err := os.Remove(link); err != nil {
		return err
	}
	return os.Symlink(filepath.Join(t.Root, from), link)
}

// Remove removes the folder.
func (t *Checkout) Remove() error {
	if err := os.RemoveAll(t.temp); err != nil {
		return fmt.Errorf("remove the copy of %s: %w", t.name, err)
	}
	return nil
}

// Reword returns an error whose text names the files of the tree as git does: "main:p/a.go".
func (t *Checkout) Reword(err error) error {
	text := strings.ReplaceAll(err.Error(), t.Tree+string(filepath.Separator), t.name+":")
	text = strings.ReplaceAll(text, t.Tree, t.name)
	if len(t.submodules) > 0 {
		text += fmt.Sprintf("\n%s has submodules, whose files are not part of it: %s", t.name,
			strings.Join(t.submodules, ", "))
	}
	return rewordedError{strings.ReplaceAll(text, t.temp, t.name), err}
}

// A rewordedError is an error with another text.
type rewordedError struct {
	text string
	error
}

func (e rewordedError) Error() string { return e.text }
func (e rewordedError) Unwrap() error { return e.error }

// safeSettings take precedence over the settings of the repository, which may be a stranger's, so that git runs none of
// its programs. Programs for fetching, such as core.sshCommand, do not run because nothing is fetched.
var safeSettings = []string{
	"core.hooksPath=" + os.DevNull,
	"core.fsmonitor=false",
	"core.pager=cat",
	"protocol.allow=never",
	"safe.bareRepository=explicit", // do not take a folder of the working tree for a repository
}

// git runs git in dir and returns what it prints, without the end of the last line. It runs no program of the
// repository and fetches nothing.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	flags := []string{"--no-pager"}
	for _, setting := range safeSettings {
		flags = append(flags, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(flags, args)...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	// A git hook that runs checkalloc sets GIT_DIR, GIT_INDEX_FILE and the like for its own repository; ours is the one
	// around dir. Only the caller's configuration is kept, such as safe.directory, and the limits of the search for a
	// repository.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		switch {
		case name == "GIT_CONFIG_PARAMETERS":
			return true
		case strings.HasPrefix(name, "GIT_CONFIG_"),
			name == "GIT_CEILING_DIRECTORIES",
			name == "GIT_DISCOVERY_ACROSS_FILESYSTEM":
			return false
		}
		return strings.HasPrefix(name, "GIT_")
	})
	cmd.Env = append(cmd.Env, "PWD="+dir, "LC_ALL=C",
		"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=")
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if text := strings.TrimSpace(string(exit.Stderr)); text != "" {
			err = errors.New(strings.TrimPrefix(text, "fatal: "))
		}
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(out), "\n"), "\r"), err
}
