// Package gocommand runs the go command, to ask it for information and to compile trusted code: Run returns what a
// command prints, Env the settings that "go env" answers, List the packages that "go list" finds.
//
//	settings, err := gocommand.Env(ctx, gocommand.Options{Dir: dir}, "GOROOT", "GOCACHE")
//
// Which folder and environment are right depends on whose code it is: packages build and userpkg decide that. These
// packages also run builds of code that is not trusted, and builds whose output is read while they run.
package gocommand

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"onthestack/internal/execution"
)

// Options say how the go command runs.
type Options struct {
	Path string        // the go command; "" for the one that PATH finds
	Dir  string        // the folder in which it runs; "" for the current one
	Env  []string      // its environment; nil for this process's environment
	Log  io.Writer     // gets what it prints on stderr while it runs; nil for nobody
	Time time.Duration // wall-clock time, in addition to the limit of the context; 0 for none
}

// An Error is the failure of a go command.
type Error struct{ Stderr string }

// Error returns what the command printed, without the addresses of module proxies.
func (e *Error) Error() string { return HideProxies(strings.TrimSpace(e.Stderr)) }

// A Timeout is the cause of a context whose time for a build is over.
type Timeout time.Duration

func (t Timeout) Error() string { return t.Stop().String() }

// Stop returns the limit that was reached.
func (t Timeout) Stop() execution.Stop {
	return execution.Stop{Kind: execution.BuildTime, Time: time.Duration(t)}
}

// maxMessages bounds the messages of a go command, in bytes.
const maxMessages = 1 << 20

// Run runs the go command and returns what it prints on stdout. Canceling ctx ends the command and all processes that
// it started. The error is an *Error if the command fails, wraps a Timeout if it takes too long, and wraps
// exec.ErrNotFound if there is no go command.
func Run(ctx context.Context, o Options, args ...string) ([]byte, error) {
	if o.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Time, Timeout(o.Time))
		defer cancel()
	}
	cmd := execution.Command(ctx, execution.ProcessLimits{}, o.Dir, o.Env, cmp.Or(o.Path, "go"), args...)
	stderr := &execution.Buffer{Meter: &execution.Meter{Left: maxMessages, Full: func() {}}}
	cmd.Stderr = stderr
	if o.Log != nil {
		cmd.Stderr = io.MultiWriter(stderr, o.Log)
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	var late Timeout
	switch cause := context.Cause(ctx); {
	case err == nil:
		return out, nil
	case errors.As(cause, &late):
		return nil, fmt.Errorf("go %s %w", args[0], late)
	case cause != nil:
		return nil, cause
	case errors.As(err, &exit):
		return nil, &Error{string(stderr.Bytes())}
	}
	return nil, fmt.Errorf("go %s: %w", args[0], err)
}

// Env returns settings of the go command by their names. A setting that the release does not know is "".
func Env(ctx context.Context, o Options, names ...string) (map[string]string, error) {
	out, err := Run(ctx, o, append([]string{"env", "-json"}, names...)...)
	if err != nil {
		return nil, err
	}
	settings := map[string]string{}
	if err := json.Unmarshal(out, &settings); err != nil {
		return nil, fmt.Errorf("go env: unexpected answer %q", out)
	}
	return settings, nil
}

// List runs "go list" with the flag -json and the given arguments, and returns what it prints of each package. P has
// the fields of go list that are wanted. The arguments may name them: "-json=Dir,GoFiles".
func List[P any](ctx context.Context, o Options, args ...string) ([]P, error) {
	out, err := Run(ctx, o, append([]string{"list"}, args...)...)
	if err != nil {
		return nil, err
	}
	return Packages[P](bytes.NewReader(out))
}

// Packages reads the output of "go list -json".
func Packages[P any](list io.Reader) (all []P, err error) {
	for d := json.NewDecoder(list); d.More(); {
		var p P
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("read the answer of go list: %w", err)
		}
		all = append(all, p)
	}
	return all, nil
}

// Messages of the go command about module proxies. They contain the addresses of machines, and the address of a
// request. Only the request's module path and version are kept.
var (
	proxyRequest = regexp.MustCompile(`\b(?:https?|file)://[^\s"']*?((?:/[^\s"'/]+)?/@(?:v/[^\s"':,]*|latest))`)
	proxyDial    = regexp.MustCompile(
		`\b(proxyconnect |dial |read |write )(tcp|udp)[46]? [^\s:]*(?::[^\s]*?)?(?:->\S+?)?: `,
	)
	proxyLookup = regexp.MustCompile(`\blookup \S+( on \S+)?: `)
)

// HideProxies removes the addresses of module proxies from messages of the go command. The addresses may be private to
// a class or a company, and are of no use to a reader.
func HideProxies(text string) string {
	var pairs []string
	for _, name := range []string{"GOPROXY", "HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"} {
		for proxy := range Proxies(os.Getenv(name)) {
			if proxy = strings.TrimRight(strings.TrimSpace(proxy), "/"); strings.Contains(proxy, "://") {
				pairs = append(pairs, proxy, "$GOPROXY")
			}
		}
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	text = proxyRequest.ReplaceAllString(text, "$$GOPROXY$1")
	text = proxyDial.ReplaceAllString(text, "$1$2: ")
	return proxyLookup.ReplaceAllString(text, "lookup of the module proxy: ")
}

// Proxies returns the elements of a GOPROXY setting.
func Proxies(setting string) iter.Seq[string] {
	return strings.FieldsFuncSeq(setting, func(r rune) bool { return r == ',' || r == '|' })
}

// Sources returns the files of the module at root that are compiled into or embedded in the packages and all that they
// import, directly or not. It leaves out tests and their data. The variables env, such as "GOOS=js", are added to the
// go command's environment, and so can set the platform. The names are sorted, slash-separated and relative to root.
func Sources(root string, env []string, packages ...string) (names []string, err error) {
	type listed struct {
		ImportPath string
		Module     *struct {
			Path string
			Main bool
		}
		GoFiles, CgoFiles, SFiles, EmbedFiles []string
	}
	args := append([]string{"-deps", "-json=ImportPath,Module,GoFiles,CgoFiles,SFiles,EmbedFiles"}, packages...)
	all, err := List[listed](context.Background(), Options{Dir: root, Env: append(os.Environ(), env...)}, args...)
	if err != nil {
		return nil, fmt.Errorf("list the code of %s: %w", strings.Join(packages, " "), err)
	}
	for _, p := range all {
		if p.Module == nil || !p.Module.Main {
			continue // go.sum and the release of Go stand for other modules
		}
		dir := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/")
		for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, p.SFiles, p.EmbedFiles) {
			// The harness embeds folders whole, and leaves the tests in them out of what it builds.
			if !strings.HasSuffix(file, "_test.go") {
				names = append(names, path.Join(dir, file))
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
