package command

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

	"onthestack/tools/checkalloc/app"
)

// A revision is a commit of a git repository, to which "compare --base" compares the working tree.
type revision struct {
	folder string // from the repository's root to the folder that findRevision was called with
	root   string // of the repository
	name   string // as the user gave it
	commit string // its hash
}

// findRevision returns the commit that name stands for in the repository around dir. Its errors begin with "--base".
func findRevision(ctx context.Context, dir, name string) (*revision, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, errors.New("--base needs git, which is not on PATH")
	}
	r := &revision{name: name}
	for args, to := range map[string]*string{"--show-toplevel": &r.root, "--show-prefix": &r.folder} {
		out, err := git(ctx, dir, "rev-parse", args)
		if err != nil {
			return nil, fmt.Errorf("--base %s: %w", name, err)
		}
		*to = filepath.FromSlash(out)
	}
	if r.root == "" {
		return nil, fmt.Errorf("--base %s: the repository has no working tree to compare with", name)
	}
	var err error
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
		return nil, fmt.Errorf("--base %s: the repository has no such revision%s", name, hint)
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
	root       string // the folder of the repository's root
	temp       string // the folder around root
	name       string // of the revision
	submodules []string
}

// checkout writes a revision's files into a temporary folder, as the repository stores them. It changes nothing in the
// repository and runs none of its programs, so it applies no filters and no conversion of line endings.
func (r *revision) checkout(ctx context.Context) (_ *checkout, err error) {
	temp, err := os.MkdirTemp("", "checkalloc-base-")
	if err != nil {
		return nil, err
	}
	t := &checkout{temp: temp, name: r.name}
	defer func() {
		if err != nil {
			err = errors.Join(t.reword(err), t.remove())
		}
	}()
	// Tools print the real path of a folder.
	if t.temp, err = filepath.EvalSymlinks(temp); err != nil {
		return nil, err
	}
	t.root = filepath.Join(t.temp, "tree")
	if err := os.Mkdir(t.root, 0o700); err != nil {
		return nil, err
	}
	entries, err := git(ctx, r.root, "ls-tree", "-r", "-z", "--full-tree", r.commit)
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", r.label(), err)
	}
	var blobs []blob
	for entry := range strings.SplitSeq(strings.TrimRight(entries, "\x00"), "\x00") {
		meta, name, ok := strings.Cut(entry, "\t")
		fields := strings.Fields(meta) // mode, type, hash
		switch {
		case !ok || len(fields) != 3: // the tree is empty
		case fields[1] == "commit": // a submodule, another repository
			t.submodules = append(t.submodules, name)
		case fields[1] == "blob":
			blobs = append(blobs, blob{mode: fields[0], hash: fields[2], name: name})
		}
	}
	if err := t.write(ctx, r.root, blobs); err != nil {
		return nil, fmt.Errorf("take %s out of the repository: %w", r.label(), app.HideTempFiles(err))
	}
	return t, nil
}

// A blob is a file of a revision.
type blob struct{ mode, hash, name string }

// The modes of blobs that are not plain files.
const (
	modeExecutable = "100755"
	modeSymlink    = "120000"
)

// write reads blobs from the repository at the folder repository and writes them into the tree.
func (t *checkout) write(ctx context.Context, repository string, blobs []blob) (err error) {
	root, err := os.OpenRoot(t.root)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, name := range t.submodules { // git makes empty folders of them, too
		if err := root.MkdirAll(filepath.FromSlash(name), 0o700); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := gitCommand(ctx, repository, "cat-file", "--batch")
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
	// Symbolic links are made last, so that no file is written through one.
	var links []func() error
	in := bufio.NewReader(out)
	for _, b := range blobs {
		if err = b.write(root, repository, in, &links); err != nil {
			break
		}
	}
	if err != nil {
		cancel() // git waits for somebody to read its output
	}
	waitErr := cmd.Wait()
	cancel()
	if err == nil {
		err = waitErr
	}
	if message := strings.TrimSpace(stderr.String()); errors.Is(err, io.ErrUnexpectedEOF) && message != "" {
		err = errors.New(strings.TrimPrefix(message, "fatal: "))
	}
	for _, link := range links {
		if err == nil {
			err = link()
		}
	}
	return err
}

// write writes the next blob of the output of "git cat-file --batch". For a symbolic link, it appends to links the
// function that makes the link. One that leads out of the repository leads to the same file.
func (b blob) write(root *os.Root, repository string, in *bufio.Reader, links *[]func() error) error {
	header, err := in.ReadString('\n')
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	fields := strings.Fields(header) // hash, type, size
	if len(fields) != 3 {
		return fmt.Errorf(
			"the repository lacks the content of %s, as a partial clone does: check out the revision once to fetch it",
			b.name,
		)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return fmt.Errorf("git cat-file: unexpected answer %q", header)
	}
	name := filepath.FromSlash(b.name)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	content := io.LimitReader(in, size)
	if b.mode == modeSymlink {
		target, err := io.ReadAll(content)
		if err != nil {
			return err
		}
		to := filepath.FromSlash(string(target))
		if from := filepath.Join(filepath.Dir(name), to); !filepath.IsAbs(to) && !filepath.IsLocal(from) {
			to = filepath.Join(repository, from)
		}
		*links = append(*links, func() error {
			if root.Symlink(to, name) == nil {
				return nil
			}
			return root.WriteFile(name, target, 0o600) // as git does on a system without symbolic links
		})
	} else {
		mode := os.FileMode(0o600)
		if b.mode == modeExecutable {
			mode = 0o700
		}
		// not O_EXCL: two names may differ in case alone
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
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
	if _, err := in.Discard(1); err != nil { // the newline after the content
		return io.ErrUnexpectedEOF
	}
	return nil
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
	text := strings.ReplaceAll(err.Error(), t.root+string(filepath.Separator), t.name+":")
	text = strings.ReplaceAll(text, t.root, t.name)
	if len(t.submodules) > 0 {
		text += fmt.Sprintf(
			"\n%s has submodules, whose files are not part of it: %s",
			t.name,
			strings.Join(t.submodules, ", "),
		)
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

// git runs git in dir and returns what it prints, without the end of the last line.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := gitCommand(ctx, dir, args...).Output()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", errors.New(strings.TrimPrefix(stderrOf(err), "fatal: "))
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(out), "\n"), "\r"), nil
}

// gitCommand returns a command that runs git in dir. It runs no program of the repository and fetches nothing.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
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
	return cmd
}

// stderrOf returns what a command that failed wrote to stderr, or how it failed.
func stderrOf(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if text := strings.TrimSpace(string(exit.Stderr)); text != "" {
			return text
		}
	}
	return err.Error()
}
