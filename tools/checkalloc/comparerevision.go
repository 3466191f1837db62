package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
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
		out, err := git(ctx, dir, "rev-parse", args)
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
	if r.commit, err = git(ctx, dir, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}"); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		hint := ""
		if shallow, err := git(ctx, dir, "rev-parse", "--is-shallow-repository"); err == nil && shallow == "true" {
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

// checkout writes a revision's files into a temporary folder, as the repository stores them. The repository is left as it is, and none of
// its programs run: filters and line endings are for a checkout by git, and a file system monitor for its index.
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
	if err := os.Mkdir(t.root, 0o700); err != nil {
		return nil, err
	}
	entries, err := git(ctx, r.top, "ls-tree", "-r", "-z", "--full-tree", r.commit)
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", r.label(), err)
	}
	var blobs []blob
	for entry := range strings.SplitSeq(strings.TrimRight(entries, "\x00"), "\x00") {
		head, name, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(head) // mode, type, hash
		switch {
		case !ok || len(fields) != 3: // an empty tree
		case fields[1] == "commit": // of another repository
			t.submodules = append(t.submodules, name)
		case fields[1] == "blob":
			blobs = append(blobs, blob{mode: fields[0], hash: fields[2], name: name})
		}
	}
	if err := t.write(ctx, r.top, blobs); err != nil {
		return nil, fmt.Errorf("take %s out of the repository: %w", r.label(), untemporary(err))
	}
	return t, nil
}

// A blob is a file of a revision.
type blob struct{ mode, hash, name string }

// The modes of blobs that are not plain files.
const (
	modeProgram = "100755"
	modeLink    = "120000"
)

// write reads blobs from the repository at top and writes them into the tree.
func (t *tree) write(ctx context.Context, top string, blobs []blob) (err error) {
	root, err := os.OpenRoot(t.root)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range t.submodules { // empty folders, as git makes them
		if err := root.MkdirAll(filepath.FromSlash(name), 0o700); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := gitCommand(ctx, top, "cat-file", "--batch")
	var hashes, stderr strings.Builder
	for _, b := range blobs {
		hashes.WriteString(b.hash + "\n")
	}
	cmd.Stdin, cmd.Stderr = strings.NewReader(hashes.String()), &stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return err
	}
	// Links come last: nothing is written through one.
	var links []func() error
	in := bufio.NewReader(out)
	for _, b := range blobs {
		if err = b.write(root, in, &links); err != nil {
			break
		}
	}
	if err != nil {
		cancel() // it waits for a reader
	}
	stop := cmd.Wait()
	cancel()
	if err == nil {
		err = stop
	}
	if said := strings.TrimSpace(stderr.String()); errors.Is(err, io.ErrUnexpectedEOF) && said != "" {
		err = errors.New(strings.TrimPrefix(said, "fatal: "))
	}
	for _, link := range links {
		if err == nil {
			err = link()
		}
	}
	return err
}

// write writes the blob that in has next, as "git cat-file --batch" writes it, or appends to links what makes a link.
func (b blob) write(root *os.Root, in *bufio.Reader, links *[]func() error) error {
	head, err := in.ReadString('\n')
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	fields := strings.Fields(head) // hash, type, size
	if len(fields) != 3 {
		return fmt.Errorf("the repository lacks the content of %s, as a partial clone does: check the revision out once, which fetches it", b.name)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return fmt.Errorf("git cat-file: unexpected answer %q", head)
	}
	name := filepath.FromSlash(b.name)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	content := io.LimitReader(in, size)
	if b.mode == modeLink {
		target, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		*links = append(*links, func() error {
			if root.Symlink(string(target), name) == nil {
				return nil
			}
			return root.WriteFile(name, target, 0o600) // as git does where there are no links
		})
	} else {
		mode := os.FileMode(0o600)
		if b.mode == modeProgram {
			mode = 0o700
		}
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode) // names may differ in case alone
		if err != nil {
			return err
		}
		n, err := io.Copy(f, content)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		if n < size {
			return io.ErrUnexpectedEOF
		}
	}
	if _, err := in.Discard(1); err != nil { // the end of a line
		return io.ErrUnexpectedEOF
	}
	return nil
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

// safely are settings that take precedence over the repository's, which may be a stranger's: git runs none of its programs. A program
// that is fetched with, such as core.sshCommand, is not run because nothing is fetched.
var safely = []string{
	"core.hooksPath=" + os.DevNull,
	"core.fsmonitor=false",
	"core.pager=cat",
	"protocol.allow=never",
	"safe.bareRepository=explicit", // no folder of the working tree passes for a repository
}

// git runs git in dir and returns what it prints, without the end of the last line.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := gitCommand(ctx, dir, args...).Output()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", errors.New(strings.TrimPrefix(told(err), "fatal: "))
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(out), "\n"), "\r"), nil
}

// gitCommand is git in dir with settings by which it runs no program of the repository's and fetches nothing.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	flags := []string{"--no-pager"}
	for _, setting := range safely {
		flags = append(flags, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(flags, args)...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	// A hook of git's runs us with the repository and the index that it is about; ours is the one that dir lies in. Of what concerns git
	// only the caller's own configuration is kept, such as that of folders which it is to trust.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(strings.ToUpper(v), "=")
		return strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "GIT_CONFIG_") && name != "GIT_CEILING_DIRECTORIES" && name != "GIT_DISCOVERY_ACROSS_FILESYSTEM" ||
			name == "GIT_CONFIG_PARAMETERS"
	})
	cmd.Env = append(cmd.Env, "PWD="+dir, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=")
	return cmd
}
