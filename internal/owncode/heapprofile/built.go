package heapprofile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"onthestack/internal/build"
	"onthestack/internal/gocommand"
	"onthestack/internal/owncode/revision"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
)

// ExplainAsBuilt is Explain with the sources, the release of Go and the settings from which the program was built, as
// far as they are known. Options.Config.Dir is a folder of the user's working tree; if the sources are another commit's,
// a copy of that commit is read in its place. Notes say where sources, release or settings may not be the program's.
// The line shows the progress.
func (p *Profile) ExplainAsBuilt(ctx context.Context, o Options, line *printable.StatusLine) (r *Report, err error) {
	if o.Binary != nil {
		if err := o.Binary.Check(p); err != nil {
			return nil, err
		}
	}
	s, err := findSources(ctx, line, p, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.remove()) }()
	o.Config.Dir, o.Revision = s.dir, s.commit
	notes := s.notes
	if o.Binary != nil {
		var more []string
		if o.Config.Release, more, err = fetchRelease(ctx, line, s.dir, o.Binary.Release); err != nil {
			return nil, err
		}
		notes = append(notes, more...)
		if o.Config, more, err = o.Binary.Configure(ctx, o.Config); err != nil {
			return nil, s.reword(err)
		}
		notes = append(notes, more...)
	}
	compiling := "compiling the packages of " + cmp.Or(o.Name, "the profile")
	line.Show("%s", compiling)
	defer line.After(5*time.Second, func() string {
		return compiling + " … (what Go's build cache lacks is compiled first)"
	})()
	if r, err = p.Explain(ctx, o); err != nil {
		return nil, s.reword(err)
	}
	r.Notes = append(notes, r.Notes...)
	for i := range r.Lines {
		r.Lines[i].path = s.inWorkingTree(r.Lines[i].path)
	}
	for importPath, dir := range r.folders {
		r.folders[importPath] = s.inWorkingTree(dir)
	}
	return r, nil
}

// fetchRelease returns the release of Go that built a program, after it has downloaded it: "" for the one that is used in
// a folder anyway. Notes say that it cannot be had.
func fetchRelease(
	ctx context.Context, line *printable.StatusLine, dir, release string,
) (_ string, notes []string, err error) {
	settings, err := gocommand.Env(ctx, gocommand.Options{Dir: dir, Time: time.Minute}, "GOVERSION")
	if err != nil {
		return "", nil, err
	}
	here, _, _ := strings.Cut(settings["GOVERSION"], " ")
	if release == here {
		return "", nil, nil
	}
	line.Show("fetching %s", release)
	if _, err = userpkg.ResolveReleases(ctx, []string{release}); err == nil {
		_, err = build.Fetch(ctx, release)
	}
	if err != nil {
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		return "", []string{fmt.Sprintf("The program was built with %s, which cannot be had (%s): the "+
			"reasons are from %s.", release, strings.TrimSpace(err.Error()), here)}, nil
	}
	return release, nil, nil
}

// builtSources are the sources of a program that was profiled.
type builtSources struct {
	dir    string // the folder in which the go command runs
	commit string // "" for a working tree whose relation to the program is not known
	notes  []string
	copied *revision.Checkout // nil for the working tree
}

func (s *builtSources) remove() error {
	if s.copied == nil {
		return nil
	}
	return s.copied.Remove()
}

func (s *builtSources) reword(err error) error {
	if s.copied == nil {
		return err
	}
	return s.copied.Reword(err)
}

// inWorkingTree returns the name that a file of the sources has in the working tree.
func (s *builtSources) inWorkingTree(name string) string {
	if s.copied == nil {
		return name
	}
	if relative, err := filepath.Rel(s.copied.Tree, name); err == nil && filepath.IsLocal(relative) {
		return filepath.Join(s.copied.Root, relative)
	}
	return name
}

// revisionLabel is the label in which exporters of profiles keep the commit of a program.
const revisionLabel = "service_git_ref"

// findSources returns the sources of the revision that the program or the profile names: the working tree if it has
// them, else a copy of the revision.
func findSources(ctx context.Context, line *printable.StatusLine, p *Profile, o Options) (*builtSources, error) {
	s := &builtSources{dir: o.Config.Dir}
	note := func(format string, args ...any) { s.notes = append(s.notes, fmt.Sprintf(format, args...)) }
	name := p.Label(revisionLabel)
	if o.Binary != nil {
		name = cmp.Or(o.Binary.Revision, name)
	}
	if name == "" {
		if o.Binary != nil {
			note("The program does not say from which commit it was built: the working tree is read.")
		}
		return s, nil
	}
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return nil, err
	}
	found, err := revision.Find(ctx, dir, name)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		note("The program was built from %s, which is not here (%v): the working tree is read.", name, err)
		return s, nil
	}
	if o.Binary != nil && o.Binary.Modified {
		note("The program was built from a working tree with changes on top of %s: lines may differ.", found.Label())
	}
	same, err := found.CheckedOut(ctx)
	if err != nil {
		return nil, err
	}
	s.commit = found.Commit
	if same {
		return s, nil
	}
	line.Show("checking out %s", found.Label())
	if s.copied, err = found.Checkout(ctx); err != nil {
		return nil, err
	}
	s.dir = filepath.Join(s.copied.Tree, found.Folder)
	if info, err := os.Stat(s.dir); err != nil || !info.IsDir() {
		err = fmt.Errorf("%s has no folder %s: run this in one that it has", found.Label(),
			filepath.ToSlash(found.Folder))
		return nil, errors.Join(s.remove(), err)
	}
	note("The sources are from %s.", found.Label())
	return s, nil
}
