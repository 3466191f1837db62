package command

import (
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"onthestack/internal/gocommand"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
	"onthestack/internal/safefile"
	"onthestack/tools/checkalloc/app"
)

// profileFlags are the flags of explain for the heap profile of a running program.
type profileFlags struct {
	profile string // a file, "-" or an address; "" to measure benchmarks
	binary  string
	per     string
	base    string // another profile, which is subtracted
	inUse   bool
	labels  []string
	tree    bool
}

func (p *profileFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.profile, "profile", "",
		"explain the heap profile in `FILE`, on standard input (-) or at an address, in place of benchmarks")
	f.StringVar(&p.binary, "binary", "", "with --profile: the program in `FILE` is the one that was profiled")
	f.StringVar(&p.per, "per", "", "with --profile: print figures per `UNIT=N`, such as requests=60000 or seconds=30")
	f.BoolVar(&p.inUse, "inuse", false, "with --profile: show what is in use, not what was allocated")
	f.StringArrayVar(&p.labels, "label", nil, "with --profile: only samples with the label `KEY=VALUE`")
	f.StringVar(&p.base, "base", "", "with --profile: subtract the profile in `FILE`, which was taken before")
	f.BoolVar(&p.tree, "tree", false, "with --profile: show the calls that lead to the lines")
}

// Flags of explain that need --profile, and flags that do not work with it.
var (
	ofProfiles    = []string{"binary", "per", "inuse", "label", "base", "tree"}
	notOfProfiles = []string{"bench", "count", "benchtime", "timeout", "watch", "go"}
)

// checkProfileFlags returns an error for flags that do not go together.
func (c *explainCall) checkProfileFlags() error {
	if !c.changed("profile") {
		for _, name := range ofProfiles {
			if c.changed(name) {
				return app.Usagef("--%s is about a heap profile: add --profile FILE", name)
			}
		}
		return nil
	}
	if c.profile == "" {
		return app.Usagef("--profile: name a file, an address, or - for standard input")
	}
	for _, name := range notOfProfiles {
		if c.changed(name) {
			return app.Usagef("--%s does not work with --profile, which measures nothing here", name)
		}
	}
	switch {
	case len(c.testFlags) > 0:
		return app.Usagef("flags for the tests do not work with --profile, which runs no tests")
	case !atMostOne(c.JSON, c.markdown, c.sarif, c.html != "", c.tree):
		return app.Usagef("use only one of --json, --markdown, --sarif, --html and --tree")
	case c.profile == "-" && c.base == "-":
		return app.Usagef("only one of --profile and --base can be read from standard input")
	}
	return nil
}

// explainProfile shows which lines allocate in a heap profile.
func (c *explainCall) explainProfile(ctx context.Context, args []string) (code int, err error) {
	labels, err := parseLabels(c.labels)
	if err != nil {
		return 0, err
	}
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	line.Show("reading %s", c.profile)
	profile, err := heapprofile.Open(ctx, c.profile, c.In)
	if err != nil {
		return 0, err
	}
	options := heapprofile.Options{Config: userpkg.Config{Tags: c.tags}, Patterns: args, InUse: c.inUse, Deps: c.deps,
		Labels: labels, Tree: c.tree || c.html != ""}
	if c.base != "" {
		if options.Base, err = heapprofile.Open(ctx, c.base, c.In); err != nil {
			return 0, err
		}
	}
	if options.Per, err = parsePer(c.per, profile, options.Base); err != nil {
		return 0, err
	}
	if c.binary != "" {
		if options.Binary, err = heapprofile.OpenBinary(c.binary); err != nil {
			return 0, err
		}
		defer options.Binary.Close()
		if err := options.Binary.Check(profile); err != nil {
			return 0, err
		}
	}
	sources, notes, err := asBuilt(ctx, line, profile, &options)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, sources.remove()) }()
	line.Show("compiling the packages of the profile")
	stop := explainDelay(line, "the packages of the profile")
	r, err := profile.Explain(ctx, options)
	stop()
	var input heapprofile.InputError
	switch {
	case errors.As(err, &input):
		return 0, fmt.Errorf("%s %w", c.profile, err)
	case err != nil:
		return 0, sources.reword(asUsage(err))
	}
	r.Notes = append(notes, r.Notes...)
	line.Clear()
	if c.benchmark != "" {
		return c.benchmarkLine(ctx, r)
	}
	return app.ExitPassed, c.showProfile(r, sources)
}

// asBuilt completes options with the sources, the release and the flags from which the program of a profile was built. The
// caller removes the sources. Notes say where they may not be the program's.
func asBuilt(ctx context.Context, line *printable.StatusLine, p *heapprofile.Profile, options *heapprofile.Options) (
	_ *profiledSources, notes []string, err error,
) {
	sources, err := openSources(ctx, line, p, options.Binary)
	if err != nil {
		return nil, nil, err
	}
	options.Config.Dir, options.Revision = sources.dir, sources.revision
	notes = sources.notes
	if options.Binary == nil {
		return sources, notes, nil
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, sources.remove())
		}
	}()
	var more []string
	if options.Config.Release, more, err = profiledRelease(ctx, line, options.Binary.Release); err != nil {
		return nil, nil, err
	}
	notes = append(notes, more...)
	if options.Config, more, err = options.Binary.Configure(ctx, options.Config); err != nil {
		return nil, nil, sources.reword(asUsage(err))
	}
	return sources, append(notes, more...), nil
}

// showProfile writes a report in the format that the flags choose.
func (c *explainCall) showProfile(r *heapprofile.Report, sources *profiledSources) error {
	switch {
	case c.sarif:
		return printTo(printable.JSON(c.Raw), func(w io.Writer) error {
			return report.ProfileSARIF(w, r, c.top, report.SARIFOptions{Others: sources.folders(r), Version: version()})
		})
	case c.JSON:
		return c.JSONEncoder().Encode(r)
	case c.markdown:
		return printTo(printable.NewWriter(c.Raw), func(w io.Writer) error { return report.ProfileMarkdown(w, r, c.top) })
	case c.html != "":
		return c.writeProfilePage(r)
	}
	options := report.ProfileOptions{Width: c.Width, Command: c.Program, Top: c.top}
	if c.tree {
		report.ProfileTree(c.Out, r, options)
	} else {
		report.Profile(c.Out, r, options)
	}
	return nil
}

func parseLabels(texts []string) (labels []heapprofile.Label, err error) {
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, app.Usagef("--label %s: give a label as KEY=VALUE", text)
		}
		labels = append(labels, heapprofile.Label{Key: key, Value: value})
	}
	return labels, nil
}

// parsePer returns the unit of --per. The number of seconds may follow from the profiles.
func parsePer(text string, p, base *heapprofile.Profile) (*heapprofile.Per, error) {
	if text == "" {
		return nil, nil
	}
	unit, number, ok := strings.Cut(text, "=")
	if text == "seconds" {
		n := p.Duration.Seconds()
		if base != nil && !p.Taken.IsZero() && !base.Taken.IsZero() {
			n = p.Taken.Sub(base.Taken).Seconds()
		}
		if n <= 0 {
			return nil, app.Usagef("--per seconds: the profile does not say how long it was recorded; give seconds=N")
		}
		return &heapprofile.Per{Unit: unit, N: n}, nil
	}
	n, err := strconv.ParseFloat(number, 64)
	if !ok || unit == "" || err != nil || !(n > 0) || math.IsInf(n, 0) {
		return nil, app.Usagef("--per %s: give a unit and a number, such as requests=60000 or seconds=30", text)
	}
	return &heapprofile.Per{Unit: unit, N: n}, nil
}

// profiledRelease returns the release of Go that built a program, after it has downloaded it: "" for the one that is
// here. Notes say that it cannot be had.
func profiledRelease(ctx context.Context, line *printable.StatusLine, release string) (_ string, notes []string, err error) {
	settings, err := gocommand.Env(ctx, gocommand.Options{Time: time.Minute}, "GOVERSION")
	if err != nil {
		return "", nil, err
	}
	here, _, _ := strings.Cut(settings["GOVERSION"], " ")
	if release == here {
		return "", nil, nil
	}
	line.Show("fetching %s", release)
	if _, err := fetchReleases(ctx, []string{release}); err != nil {
		if ctx.Err() != nil {
			return "", nil, ctx.Err()
		}
		return "", []string{fmt.Sprintf("The program was built with %s, which cannot be had (%s): the reasons are those of %s.",
			release, strings.TrimSpace(err.Error()), here)}, nil
	}
	return release, nil, nil
}

// profiledSources are the sources of a program that was profiled.
type profiledSources struct {
	dir      string // the folder in which the go command runs, "" for the current one
	revision string // the commit, "" for a working tree whose relation to the program is not known
	notes    []string
	tree     *checkout // nil for the working tree
}

func (s *profiledSources) remove() error {
	if s.tree == nil {
		return nil
	}
	return s.tree.remove()
}

func (s *profiledSources) reword(err error) error {
	if s.tree == nil {
		return err
	}
	return s.tree.reword(err)
}

// revisionLabel is the label in which exporters of profiles keep the commit of a program.
const revisionLabel = "service_git_ref"

// openSources returns the sources of the revision that the program or the profile names: the working tree if it has them,
// else a copy of the revision. Notes say where they may not be the program's.
func openSources(
	ctx context.Context, line *printable.StatusLine, p *heapprofile.Profile, b *heapprofile.Binary,
) (*profiledSources, error) {
	s := &profiledSources{}
	note := func(format string, args ...any) { s.notes = append(s.notes, fmt.Sprintf(format, args...)) }
	name := p.Label(revisionLabel)
	if b != nil {
		name = cmp.Or(b.Revision, name)
	}
	if name == "" {
		if b != nil {
			note("The program does not say from which commit it was built: the working tree is read.")
		}
		return s, nil
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	r, err := findRevision(ctx, dir, name)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		note("The program was built from %s, which is not here (%v): the working tree is read.", name, err)
		return s, nil
	}
	if b != nil && b.Modified {
		note("The program was built from a working tree with changes on top of %s: lines may differ.", r.label())
	}
	same, err := r.isCheckedOut(ctx)
	if err != nil {
		return nil, err
	}
	if same {
		s.revision = r.commit
		return s, nil
	}
	line.Show("checking out %s", r.label())
	if s.tree, err = r.checkout(ctx); err != nil {
		return nil, err
	}
	s.dir, s.revision = filepath.Join(s.tree.tree, r.folder), r.commit
	if info, err := os.Stat(s.dir); err != nil || !info.IsDir() {
		err = errors.Join(s.remove(), fmt.Errorf("%s has no folder %s: run this in one that it has", r.label(),
			filepath.ToSlash(r.folder)))
		return nil, err
	}
	note("The sources are those of %s.", r.label())
	return s, nil
}

// isCheckedOut reports whether the Go files in the working tree, and those of its modules, are the revision's. It compares
// their content itself, since git would run the filters of the repository.
func (r *revision) isCheckedOut(ctx context.Context) (bool, error) {
	out, err := git(ctx, r.root, "ls-tree", "-r", "-z", "--full-tree", r.commit)
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
	err = filepath.WalkDir(r.root, func(file string, entry fs.DirEntry, err error) error {
		name, relErr := filepath.Rel(r.root, file)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil || relErr != nil:
			return different
		case entry.IsDir() && file != r.root && !isSourceFolder(entry.Name()):
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
