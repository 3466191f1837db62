package main

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
)

// A revision is a commit of a repository, and the folder of a package in it.
type revision struct {
	top    string // the repository's outermost folder
	folder string // the package's, below it
	name   string // as the user called it
	commit string
}

// findRevision finds the repository that dir lies in, and the commit that the name stands for there.
func findRevision(ctx context.Context, dir, name string) (*revision, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("--base needs git, which is not on PATH")
	}
	r := &revision{name: name}
	for args, to := range map[string]*string{"--show-toplevel": &r.top, "--show-prefix": &r.folder} {
		out, err := git(ctx, dir, nil, "rev-parse", args)
		if err != nil {
			return nil, fmt.Errorf("--base %s: %w", name, err)
		}
		*to = filepath.FromSlash(out)
	}
	if r.top == "" {
		return nil, fmt.Errorf("--base %s: the repository has no working tree to compare with", name)
	}
	var err error
	// A name that begins with a dash is no option.
	if r.commit, err = git(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}"); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		hint := ""
		if shallow, err := git(ctx, dir, nil, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
			hint = "; the clone is shallow, \"git fetch --unshallow\" gets the others"
		}
		return nil, fmt.Errorf("--base %s: the repository has no such revision%s", name, hint)
	}
	return r, nil
}

// label is what a reader calls the revision: "main (3fdbf65)".
func (r *revision) label() string {
	if strings.HasPrefix(r.commit, r.name) {
		return r.name
	}
	return fmt.Sprintf("%s (%s)", r.name, r.commit[:7])
}

// A tree is a revision's files in a temporary folder.
type tree struct {
	temp, root string
	name       string // the revision's
	submodules []string
}

// checkout writes a revision's files into a temporary folder. The repository is left as it is, its index too: git reads the commit into
// an index of our own. That leaves out none of the files, as an archive does where attributes say so.
func (r *revision) checkout(ctx context.Context) (_ *tree, err error) {
	temp, err := os.MkdirTemp("", "checkalloc-base-")
	if err != nil {
		return nil, err
	}
	t := &tree{temp: temp, name: r.name}
	defer func() {
		if err != nil {
			err = errors.Join(t.hide(err), t.remove())
		}
	}()
	// Tools call folders by their real names.
	if t.temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	t.root = filepath.Join(t.temp, "tree")
	index := []string{"GIT_INDEX_FILE=" + filepath.Join(t.temp, "index")}
	for _, args := range [][]string{
		{"read-tree", r.commit},
		{"checkout-index", "--all", "--quiet", "--prefix=" + filepath.ToSlash(t.root) + "/"},
	} {
		if _, err := git(ctx, r.top, index, args...); err != nil {
			// Of a disk that is full git says only that it cannot write.
			if full := os.WriteFile(filepath.Join(t.temp, "room"), make([]byte, 64<<10), 0o600); full != nil {
				err = untemporary(full)
			}
			return nil, fmt.Errorf("take %s out of the repository: %w", r.label(), err)
		}
	}
	entries, err := git(ctx, r.top, index, "ls-files", "--stage")
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", r.label(), err)
	}
	for entry := range strings.Lines(entries) {
		const link = "160000 " // the mode of a commit of another repository
		if _, name, ok := strings.Cut(strings.TrimRight(entry, "\r\n"), "\t"); ok && strings.HasPrefix(entry, link) {
			t.submodules = append(t.submodules, name)
		}
	}
	return t, nil
}

func (t *tree) remove() error {
	if err := os.RemoveAll(t.temp); err != nil {
		return fmt.Errorf("remove the copy of %s: %w", t.name, err)
	}
	return nil
}

// hide writes an error's text with the files of the tree named as git does: "main:p/a.go".
func (t *tree) hide(err error) error {
	text := strings.ReplaceAll(err.Error(), t.root+string(filepath.Separator), t.name+":")
	text = strings.ReplaceAll(text, t.root, t.name)
	if len(t.submodules) > 0 {
		text += fmt.Sprintf("\n%s has submodules, whose files are no part of it: %s", t.name, strings.Join(t.submodules, ", "))
	}
	return hidden{strings.ReplaceAll(text, t.temp, t.name), err}
}

// git runs git in dir, without the user's hooks, and returns the line that it prints.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{"-c", "core.hooksPath=" + os.DevNull}, args)...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	// A hook of git's runs us with the repository and the index that it is about; ours is the one that dir lies in.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.Contains([]string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"}, name)
	})
	cmd.Env = slices.Concat(cmd.Env, []string{"PWD=" + dir, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0"}, env)
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", errors.New(strings.TrimPrefix(told(err), "fatal: "))
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(out), "\n"), "\r"), nil
}
