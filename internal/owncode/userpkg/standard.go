package userpkg

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"onthestack/internal/harness"
)

// A program that measures benchmarks is linked with changed archives of packages runtime and testing; see
// harness.EditStandard. The go command builds these archives and the program with its flag -toolexec: it then runs
// "checkalloc compile …" in place of "compile …". The environment variable toolVariable has a toolRequest, and makes
// this executable the tool, whatever its main function is.
//
// All other archives come from the go command's cache. The go command keeps the changed archives there too, since the
// version of the compiler is part of the key.

// toolVariable is the environment variable that makes this executable run a tool of the go command.
const toolVariable = "CHECKALLOC_TOOL"

// A toolRequest says what to change in the commands that the go command runs.
type toolRequest struct {
	Edit     bool              // the compiler gets files that harness.EditStandard has changed
	Archives map[string]string // files that the linker reads, by import path, in place of others
}

func init() {
	text, ok := os.LookupEnv(toolVariable)
	if !ok || len(os.Args) < 2 {
		return
	}
	code, err := runTool(text, os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc:", err)
		code = 1
	}
	os.Exit(code)
}

// runTool runs a tool with changed arguments, and returns its exit code.
func runTool(text, tool string, args []string) (code int, err error) {
	var request toolRequest
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		return 0, fmt.Errorf("%s: %w", toolVariable, err)
	}
	version := slices.Equal(args, []string{"-V=full"})
	switch name := strings.TrimSuffix(filepath.Base(tool), ".exe"); {
	case version && name == "compile" && request.Edit:
		out, err := exec.Command(tool, args...).Output()
		fmt.Printf("%s checkalloc-%s\n", bytes.TrimSpace(out), harness.StandardVersion())
		return 0, err
	case version:
	case name == "compile" && request.Edit:
		args, err = editedFiles(os.Getenv("TOOLEXEC_IMPORTPATH"), args)
	case name == "link" && request.Archives != nil:
		args, err = changedArchives(request.Archives, args)
	}
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(tool, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() >= 0 {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// editedFiles returns the arguments of the compiler with changed files in place of files of a package of the standard
// library, under the names of these.
func editedFiles(importPath string, args []string) ([]string, error) {
	args = slices.Clone(args)
	trim := slices.Index(args, "-trimpath") + 1
	out := slices.Index(args, "-o") + 1
	if trim == 0 || out == 0 || max(trim, out) >= len(args) {
		return args, nil
	}
	for i, name := range args {
		if filepath.Ext(name) != ".go" {
			continue
		}
		source, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		edited, err := harness.EditStandard(importPath, filepath.Base(name), source)
		if err != nil {
			return nil, err
		}
		if edited == nil {
			continue
		}
		args[i] = filepath.Join(filepath.Dir(args[out]), "checkalloc_"+filepath.Base(name))
		if err := os.WriteFile(args[i], edited, 0o600); err != nil {
			return nil, err
		}
		args[trim] = args[i] + "=>" + trimmed(name, importPath, args[trim]) + ";" + args[trim]
	}
	return args, nil
}

// trimmed returns the name that a file of the standard library has in the compiler's output, given its flag -trimpath.
func trimmed(name, importPath, rewrites string) string {
	for rewrite := range strings.SplitSeq(rewrites, ";") {
		from, to, _ := strings.Cut(rewrite, "=>")
		if rest, ok := strings.CutPrefix(name, from+string(filepath.Separator)); ok {
			return filepath.ToSlash(filepath.Join(to, rest))
		}
	}
	return "$GOROOT/src/" + importPath + "/" + filepath.Base(name)
}

// changedArchives returns the arguments of the linker with another list of archives.
func changedArchives(archives map[string]string, args []string) ([]string, error) {
	args = slices.Clone(args)
	at := slices.Index(args, "-importcfg") + 1
	if at == 0 || at == len(args) {
		return nil, errors.New("the linker was called without -importcfg")
	}
	text, err := os.ReadFile(args[at])
	if err != nil {
		return nil, err
	}
	var changed bytes.Buffer
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "packagefile "); ok {
			path, _, _ := strings.Cut(rest, "=")
			if archive := archives[path]; archive != "" {
				line = "packagefile " + path + "=" + archive + "\n"
			}
		}
		changed.WriteString(line)
	}
	args[at] += ".checkalloc"
	return args, os.WriteFile(args[at], changed.Bytes(), 0o600)
}

// toolexec returns the flag and the environment variable with which the go command runs the tools through this
// executable.
func (r toolRequest) toolexec() (flag, variable string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", "", fmt.Errorf("find this program: %w", err)
	}
	text, err := json.Marshal(r)
	return "-toolexec=" + quote(self), toolVariable + "=" + string(text), err
}

// A standard has the changed archives for a package and its edited versions once they were built, whichever of them is
// built first.
type standard struct {
	mu       sync.Mutex
	known    bool
	archives map[string]string
	err      error
}

// get returns p.standardArchives, which it calls once unless ctx ends meanwhile.
func (s *standard) get(ctx context.Context, p *Package) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.known {
		s.archives, s.err = p.standardArchives(ctx)
		s.known = ctx.Err() == nil
	}
	return s.archives, s.err
}

// standardArchives returns the changed archives of the packages in harness.Standard, by import path. Building them
// takes some seconds, once for a Go release and settings. The error is the reason why the package cannot be measured
// with them.
func (p *Package) standardArchives(ctx context.Context) (map[string]string, error) {
	ctx, cancel := limits.WithTimeout(ctx)
	defer cancel()
	flag, variable, err := toolRequest{Edit: true}.toolexec()
	if err != nil {
		return nil, err
	}
	flags := slices.Concat(p.patterned("gcflags"), p.patterned("asmflags"))
	if slices.ContainsFunc(p.goFlags, func(field string) bool { name, _ := cutFlag(field); return name == "toolexec" }) {
		return nil, errors.New("GOFLAGS has -toolexec")
	}
	var original, changed Exports
	var g errgroup.Group
	g.Go(func() (err error) {
		original, err = p.config.exports(ctx, p.env, flags, harness.Standard())
		return err
	})
	g.Go(func() (err error) {
		changed, err = p.config.exports(ctx, append(slices.Clone(p.env), variable), append(slices.Clone(flags), flag),
			harness.Standard())
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if _, below := original[p.ImportPath]; below {
		return nil, errors.New("package testing depends on it")
	}
	archives := map[string]string{}
	for _, path := range harness.Standard() {
		if archives[path] = changed[path].File; !sameExports(original[path].File, changed[path].File) {
			return nil, fmt.Errorf("package %s of %s cannot be changed without changing what it exports", path, p.Go)
		}
	}
	return archives, nil
}

// sameExports reports whether two archives are the same to packages that import them, as the linker checks it: the
// object file of an archive begins with a magic string, which ends in "ld", and a hash of the export data.
func sameExports(a, b string) bool {
	var hashes [2][]byte
	for i, name := range []string{a, b} {
		text, err := os.ReadFile(name)
		if err != nil {
			return false
		}
		const hashSize = 8
		at := bytes.Index(text, []byte("\x00go120ld"))
		if at < 0 || len(text) < at+2*hashSize {
			return false
		}
		hashes[i] = text[at+hashSize : at+2*hashSize]
	}
	return bytes.Equal(hashes[0], hashes[1])
}
