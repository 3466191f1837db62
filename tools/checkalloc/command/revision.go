package command

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

	"onthestack/tools/checkalloc/app"
)

// A revision is a commit of a git repository: the one to which "compare --base" compares the working tree, or the one
// from which a program was built whose profile is explained.
type revision struct {
	folder string // from the repository's root to the folder that findRevision was called with
	root   string // of the repository
	name   string // as the user gave it
	commit string // its hash
}

// findRevision returns the commit that name stands for in the repository around dir.
func findRevision(ctx context.Context, dir, name string) (*revision, error) {
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
	r := &revision{name: name, root: filepath.FromSlash(root), folder: filepath.FromSlash(folder)}
	// After --end-of-options, a name that begins with a dash is not an option.
	if r.commit, err = git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", name+
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

// label returns the revision's name and the beginning of its hash: "main (3fdbf65)".
func (r *revision) label() string {
	if strings.HasPrefix(r.commit, r.name) {
		return r.name
	}
	return fmt.Sprintf("%s (%s)", r.name, r.commit[:7])
}

// A checkout is a revision's files in a temporary folder.
type checkout struct {
	*revision
	tree       string // the folder of the repository's root
	temp       string // the folder around tree
	submodules []string
}

// checkout writes a revision's files into a temporary folder, as the repository stores them. It changes nothing in the
// repository and runs none of its programs, so it applies no filters and no conversion of line endings.
func (r *revision) checkout(ctx context.Context) (_ *checkout, err error) {
	temp, err := os.MkdirTemp("", "checkalloc-base-")
	if err != nil {
		return nil, err
	}
	t := &checkout{revision: r, temp: temp}
	defer func() {
		if err != nil {
			err = errors.Join(t.reword(err), t.remove())
		}
	}()
	// Tools print the real path of a folder.
	if t.temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	t.tree = filepath.Join(t.temp, "tree")
	if err := os.Mkdir(t.tree, 0o700); err != nil {
		return nil, err
	}
	if err := t.write(ctx); err != nil {
		if _, absent := git(ctx, r.root, "config", "extensions.partialClone"); absent == nil && ctx.Err() == nil {
			err = fmt.Errorf("%w; the clone is partial: check out the revision once to fetch its files", err)
		}
		return nil, fmt.Errorf("take %s out of the repository: %w", r.label(), app.HideTempFiles(err))
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
func (t *checkout) write(ctx context.Context) error {
	out, err := git(ctx, t.root, "rev-parse", "--git-path", "objects", "--show-object-format")
	if err != nil {
		return err
	}
	objects, format, _ := strings.Cut(out, "\n")
	if !filepath.IsAbs(objects) {
		objects = filepath.Join(t.root, objects)
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
	tree := []string{"--git-dir=" + dir, "--work-tree=" + t.tree}
	if _, err := git(ctx, t.tree, append(tree, "read-tree", "-m", "-u", t.commit)...); err != nil {
		return err
	}
	entries, err := git(ctx, t.tree, append(tree, "ls-files", "--stage", "-z")...)
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
func (t *checkout) relink(name string) error {
	link := filepath.Join(t.tree, name)
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
	return os.Symlink(filepath.Join(t.root, from), link)
}

// remove removes the folder.
func (t *checkout) remove() error {
	if err := os.RemoveAll(t.temp); err != nil {
		return fmt.Errorf("remove the copy of %s: %w", t.name, err)
	}
	return nil
}

// reword returns an error whose text names the files of the tree as git does: "main:p/a.go".
func (t *checkout) reword(err error) error {
	text := strings.ReplaceAll(err.Error(), t.tree+string(filepath.Separator), t.name+":")
	text = strings.ReplaceAll(text, t.tree, t.name)
	if len(t.submodules) > 0 {
		text += fmt.Sprintf("\n%s has submodules, whose files are not part of it: %s", t.name,
			strings.Join(t.submodules, ", "))
	}
	return app.Reword(err, strings.ReplaceAll(text, t.temp, t.name))
}

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
