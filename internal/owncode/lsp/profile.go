package lsp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"onthestack/internal/build"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/present"
	"onthestack/internal/printable"
)

// A profileSettings names the heap profile of a program whose figures are shown.
type profileSettings struct {
	Profile string `json:"profile"` // its file, relative to the folder of the workspace; "" for none
	Binary  string `json:"binary"`  // as with --binary
	Per     string `json:"per"`     // as with --per
}

// A followed profile is the one that the settings name. All fields are zero if they name none.
type followed struct {
	stop   context.CancelFunc // ends the reading
	again  chan struct{}      // asks for the profile to be read now
	report *heapprofile.Report
	lines  map[string][]heapprofile.Line // that have hints, by the file in which they are
}

// lookInterval is the time from look to look at the files. Tests shorten it.
var lookInterval = 2 * time.Second

// profileLimit bounds the time in which a profile is explained.
const profileLimit = 5 * time.Minute

// begun begins what the client has to be told about.
func (s *server) begun(context.Context, struct{}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followProfile()
	return nil, nil
}

// followProfile reads the profile that the settings name, now and whenever it changes, until it is called again. The
// caller holds s.mu.
func (s *server) followProfile() {
	if s.profile.stop != nil {
		s.profile.stop()
	}
	s.profile = followed{}
	o := s.client.InitializationOptions
	if o.Profile == "" {
		return
	}
	f := newProfileFiles(s.client.folders(), o)
	var ctx context.Context
	ctx, s.profile.stop = context.WithCancel(s.ctx)
	again := make(chan struct{}, 1)
	s.profile.again = again
	s.jobs.Go(func() { s.follow(ctx, f, again) })
}

// readAgain reads the profile again.
func (s *server) readAgain() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.profile.again == nil {
		return jrpc2.Errorf(requestFailed, "there is no heap profile to read: the option profile names its file")
	}
	select {
	case s.profile.again <- struct{}{}:
	default: // it will be read again anyway
	}
	return nil
}

// folders returns the folders of the workspace, at least one.
func (p initializeParams) folders() (all []string) {
	for _, f := range p.WorkspaceFolders {
		if name, err := pathOf(f.URI); err == nil {
			all = append(all, name)
		}
	}
	if name, err := pathOf(p.RootURI); err == nil && len(all) == 0 {
		all = append(all, name)
	}
	if len(all) == 0 {
		all = append(all, ".")
	}
	return all
}

// profileFiles are the files of a profile.
type profileFiles struct {
	heapprofile.Files
	root   string         // the folder of the workspace
	config userpkg.Config // for the module of the program
}

// newProfileFiles returns the files that settings name, in the first of some folders that has the profile, or in the
// first of all. The program is of the module in which the profile is or, if that is elsewhere, of the folder's module.
func newProfileFiles(folders []string, o settings) profileFiles {
	f := profileFiles{root: folders[0]}
	for _, root := range folders {
		if name := inFolder(root, o.Profile); exists(name) && userpkg.Within(root, name) {
			f.root = root
			break
		}
	}
	f.Profile, f.Binary, f.Per = inFolder(f.root, o.Profile), inFolder(f.root, o.Binary), o.Per
	f.config = userpkg.Config{Dir: f.root, Tags: o.Tags}
	for dir := filepath.Dir(f.Profile); userpkg.Within(f.root, dir); dir = filepath.Dir(dir) {
		if exists(filepath.Join(dir, "go.mod")) {
			f.config.Dir = dir
			break
		}
	}
	return f
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// inFolder returns the full name of a file that is named relative to a folder, "" for "".
func inFolder(dir, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// A stamp tells whether files have changed.
type stamp [2]struct{ size, modified int64 }

func (f profileFiles) stamp() (s stamp) {
	for i, name := range []string{f.Profile, f.Binary} {
		if info, err := os.Stat(name); err == nil {
			s[i].size, s[i].modified = info.Size(), info.ModTime().UnixNano()
		}
	}
	return s
}

// follow reads a profile now and whenever its files have changed, until ctx ends. It looks at them from time to time,
// since many clients do not watch files for a server, least of all files outside of their folders.
func (s *server) follow(ctx context.Context, f profileFiles, again <-chan struct{}) {
	tick := time.NewTicker(lookInterval)
	defer tick.Stop()
	read := f.stamp()
	last := read
	for s.readProfile(ctx, f); ; {
		select {
		case <-ctx.Done():
			return
		case <-again:
			read = f.stamp()
			s.readProfile(ctx, f)
			continue
		case <-tick.C:
		}
		now := f.stamp()
		if now != read && now == last { // else something may still be writing
			read = now
			s.readProfile(ctx, f)
		}
		last = now
	}
}

// readProfile explains a profile and shows its figures. A fault is one message, and leaves no figures.
func (s *server) readProfile(until context.Context, f profileFiles) {
	ctx, cancel := context.WithCancelCause(until)
	defer cancel(nil)
	j := &job{server: s, cancel: cancel}
	s.mu.Lock()
	s.running[f.Profile] = j
	s.mu.Unlock()
	j.begin(ctx, "Explaining the heap profile")
	var r *heapprofile.Report
	err := j.wait(ctx, func(ctx context.Context, _ *job) (err error) {
		late := fmt.Errorf("it was stopped after %v", profileLimit)
		ctx, cancel := context.WithTimeoutCause(ctx, profileLimit, late)
		defer cancel()
		r, err = f.Explain(ctx, heapprofile.Options{Config: f.config}, printable.StatusFunc(j.report))
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return err
	})
	current := followed{}
	switch {
	case ctx.Err() != nil:
		j.last = "cancelled"
	case err != nil:
		j.last = f.errorText(err)
		s.showMessage(messageError, j.last)
	default:
		current = newFollowed(r)
		j.last = current.summary()
		for _, note := range r.Notes {
			s.logf("%s: %s", filepath.Base(f.Profile), note)
		}
	}
	s.mu.Lock()
	if s.running[f.Profile] == j {
		delete(s.running, f.Profile)
	}
	if until.Err() == nil { // else the settings have changed
		s.profile.report, s.profile.lines = current.report, current.lines
	}
	s.mu.Unlock()
	s.refresh()
	j.end()
}

// errorText returns the text of a fault, with names of files relative to the folder of the workspace.
func (f profileFiles) errorText(err error) string {
	if errors.As(err, new(userpkg.ArgumentError)) { // there is no pattern that could be wrong
		err = fmt.Errorf("%s: %w; put the profile into the folder of the program's module", f.Profile, err)
	}
	text := strings.ReplaceAll(build.HideTempFiles(err.Error()), f.root+string(filepath.Separator), "")
	return printable.Text("The heap profile cannot be shown: " + text)
}

// newFollowed keeps the lines of a report that have hints: no line whose figures say little, and none that the sources
// lack.
func newFollowed(r *heapprofile.Report) followed {
	f := followed{report: r, lines: map[string][]heapprofile.Line{}}
	for _, l := range r.Lines {
		if r.Few(l) || l.Changed != "" || l.Text(path.Base(l.File)) == nil {
			continue
		}
		name := resolved(l.Path())
		f.lines[name] = append(f.lines[name], l)
	}
	return f
}

// resolved returns a file's name without symbolic links, since the go command and clients may name it differently.
func resolved(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

func (f followed) summary() string {
	n := 0
	for _, lines := range f.lines {
		n += len(lines)
	}
	text := f.report.Module + ": " + present.Plural(n, "line") + " with figures of the heap profile"
	return printable.Inline(text)
}
