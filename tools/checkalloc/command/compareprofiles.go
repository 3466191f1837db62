package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"onthestack/internal/owncode/heapdiff"
	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/app"
)

// comparedFlags are the flags of compare for two heap profiles.
type comparedFlags struct {
	per      string
	binaries [2]string // of the old profile and of the new one
	inUse    bool
	labels   []string
	deps     bool
	changed  func(flag string) bool // whether a flag was given
}

func (p *comparedFlags) add(f *pflag.FlagSet) {
	f.StringVar(&p.per, "per", "",
		"of heap profiles: compare figures per `UNIT=OLD,NEW`, such as requests=60000,58000, or per seconds")
	f.StringVar(&p.binaries[0], "old-binary", "", "of heap profiles: the program in `FILE` is the old one")
	f.StringVar(&p.binaries[1], "new-binary", "", "of heap profiles: the program in `FILE` is the new one")
	f.BoolVar(&p.inUse, "inuse", false, "of heap profiles: compare what is in use, not what was allocated")
	f.StringArrayVar(&p.labels, "label", nil, "of heap profiles: compare only samples with the label `KEY=VALUE`")
	f.BoolVar(&p.deps, "deps", false, "of heap profiles: compare lines of dependencies too, not only the module's")
	p.changed = f.Changed
}

// Flags of compare that need heap profiles, and flags that do not work with them.
var (
	ofCompared    = []string{"per", "old-binary", "new-binary", "inuse", "label", "deps"}
	notOfCompared = []string{"bench", "count", "benchtime", "timeout", "links"}
)

// ofProfiles reports whether two files are heap profiles, by their contents, and returns an error for flags that do not
// go with what they are. Without two names, it is not about files.
func (p *comparedFlags) ofProfiles(program string, names []string) (yes bool, err error) {
	var kinds [2]savedKind
	if len(names) == len(kinds) {
		for i, name := range names {
			if kinds[i], err = kindOfSaved(name); err != nil {
				return false, err
			}
		}
	}
	yes = kinds[0] == savedProfile || kinds[1] == savedProfile
	switch {
	case kinds[0] == savedProfile && kinds[1] == savedVerdict:
		return false, fmt.Errorf("%s is a heap profile and %s a saved verdict: compare two of a kind", names[0], names[1])
	case kinds[0] == savedVerdict && kinds[1] == savedProfile:
		return false, fmt.Errorf("%s is a saved verdict and %s a heap profile: compare two of a kind", names[0], names[1])
	}
	flags, about := ofCompared, "--%s is about heap profiles: \"%s compare OLD.pb.gz NEW.pb.gz\""
	if yes {
		flags, about = notOfCompared, "--%s does not work with heap profiles: \"%s compare --help\" lists what does"
	}
	for _, name := range flags {
		if p.changed != nil && p.changed(name) {
			return false, app.Usagef(about, name, program)
		}
	}
	return yes, nil
}

// A savedKind is what a file to compare is.
type savedKind int

const (
	savedOther savedKind = iota
	savedVerdict
	savedProfile
)

// kindOfSaved tells by its beginning what a file is. What is at an address, or on standard input, is a heap profile.
func kindOfSaved(name string) (savedKind, error) {
	if name == "-" || isAddress(name) {
		return savedProfile, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return savedOther, err
	}
	defer f.Close()
	begin := make([]byte, 512)
	n, _ := io.ReadFull(f, begin) // what cannot be read is no profile, and its reader says why
	begin = begin[:n]
	text := bytes.TrimLeft(begin, " \t\r\n")
	binary := bytes.ContainsFunc(begin, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\r\n", r) })
	switch {
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("\ufeff")):
		return savedVerdict, nil
	case bytes.HasPrefix(begin, []byte("\xff\xfe")), bytes.HasPrefix(begin, []byte("\xfe\xff")): // UTF-16
		return savedVerdict, nil
	case binary, bytes.HasPrefix(begin, []byte("heap profile: ")):
		return savedProfile, nil
	}
	return savedOther, nil
}

func isAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// compareProfiles compares two heap profiles. The exit code is 1 if something allocates more.
func (c *compareCall) compareProfiles(ctx context.Context, names []string) (int, error) {
	if names[0] == "-" && names[1] == "-" {
		return 0, app.Usagef("only one of the profiles can be read from standard input")
	}
	line := printable.NewStatusLine(c.Err)
	defer line.Clear()
	labels, err := parseLabels(c.compared.labels)
	if err != nil {
		return 0, err
	}
	var profiles [2]*heapprofile.Profile
	for i, name := range names {
		line.Show("reading %s", withoutPassword(name))
		if profiles[i], err = heapprofile.Open(ctx, name, c.In); err != nil {
			return 0, err
		}
	}
	per, note, err := c.units(profiles)
	if err != nil {
		return 0, err
	}
	var sides [2]heapdiff.Side
	for i, name := range names {
		options := heapprofile.Options{Config: userpkg.Config{Tags: c.tags}, InUse: c.compared.inUse, Deps: c.compared.deps,
			Labels: labels, Name: withoutPassword(name)}
		if sides[i], err = c.profileSide(ctx, line, profiles[i], i, options); err != nil {
			return 0, err
		}
		sides[i].Per = per[i]
	}
	result, err := heapdiff.Compare(sides[0], sides[1])
	if err != nil {
		return 0, err
	}
	if note != "" {
		result.Notes = append([]string{note}, result.Notes...)
	}
	if result.Old.Revision == "" && result.New.Revision == "" {
		result.Notes = append(result.Notes, "Both sides are explained from the working tree, since neither names its commit: "+
			"lines of the old side may be other ones than they were.")
	}
	line.Clear()
	if c.sarif != "" {
		if err := c.writeProfilesSARIF(result, sides[1].Report); err != nil {
			return 0, err
		}
	}
	return app.Code(!result.More), c.showProfiles(result)
}

// units returns the unit of both profiles and its number in each. Profiles that cover different numbers of requests
// cannot be compared in totals. Nor are shares of the whole compared: if one line allocates less, the shares of all
// others are larger, which is no reason for an alarm.
func (c *compareCall) units(p [2]*heapprofile.Profile) (per [2]*heapprofile.Per, note string, err error) {
	recorded := p[0].Duration > 0 && p[1].Duration > 0
	unit, numbers, _ := strings.Cut(c.compared.per, "=")
	switch {
	case c.compared.inUse && c.compared.per != "":
		return per, "", app.Usagef("--per does not work with --inuse: what is in use is not allocated per unit")
	case c.compared.inUse:
		return per, "", nil
	case c.compared.per == "" && recorded:
		note = "The figures are per second, as long as the profiles took: they change with the load, and --per " +
			"requests=OLD,NEW does not."
		fallthrough
	case c.compared.per == "seconds" && recorded:
		for i := range per {
			per[i] = &heapprofile.Per{Unit: "seconds", N: p[i].Duration.Seconds()}
		}
		return per, note, nil
	case c.compared.per == "":
		return per, "", app.Usagef("the totals of two profiles depend on how long the programs ran: give the number of " +
			"requests in each with --per requests=OLD,NEW, or of seconds with --per seconds=OLD,NEW")
	case c.compared.per == "seconds":
		return per, "", app.Usagef("--per seconds: the profiles do not say how long they were recorded; give " +
			"seconds=OLD,NEW")
	}
	each := strings.Split(numbers, ",")
	for i := range per {
		n := each[min(i, len(each)-1)] // one number is for both
		if per[i], err = p[i].ParsePer(unit+"="+n, nil); err != nil || len(each) > len(per) {
			return per, "", app.Usagef("--per %s: give a unit and its number in each profile, such as requests=60000,58000",
				c.compared.per)
		}
	}
	return per, "", nil
}

// profileSide explains one of the profiles, 0 or 1, from the sources of its program.
func (c *compareCall) profileSide(ctx context.Context, line *printable.StatusLine, p *heapprofile.Profile, i int,
	options heapprofile.Options,
) (side heapdiff.Side, err error) {
	options.BinaryFlag = [2]string{"--old-binary", "--new-binary"}[i]
	if c.compared.binaries == [2]string{} {
		options.BinaryFlag = "--old-binary and --new-binary" // for one note on both sides
	}
	if binary := c.compared.binaries[i]; binary != "" {
		if options.Binary, err = heapprofile.OpenBinary(binary); err != nil {
			return side, err
		}
		defer options.Binary.Close()
	}
	if side.Report, err = p.ExplainAsBuilt(ctx, options, line); err != nil {
		return side, profileError(options.Name, err)
	}
	side.Label = options.Name
	if commit := side.Report.Revision; len(commit) > shortHash {
		side.Label += " (" + commit[:shortHash] + ")"
	}
	return side, nil
}

// shortHash is how many digits of a commit are shown.
const shortHash = 7

// withoutPassword returns the name of a profile for the reader.
func withoutPassword(name string) string {
	if u, err := url.Parse(name); err == nil && isAddress(name) {
		return u.Redacted()
	}
	return name
}

// writeProfilesSARIF writes the lines of the new profile that allocate more.
func (c *compareCall) writeProfilesSARIF(result *heapdiff.Comparison, r *heapprofile.Report) error {
	var log bytes.Buffer
	o := report.SARIFOptions{Others: foldersOf(r), Version: version()}
	if err := report.ProfileIncreasesSARIF(&log, result, r, o); err != nil {
		return err
	}
	return app.WriteFile(c.sarif, log.Bytes())
}

// showProfiles writes a comparison of profiles in the format that the flags choose.
func (c *compareCall) showProfiles(r *heapdiff.Comparison) error {
	switch {
	case c.JSON:
		return c.JSONEncoder().Encode(r)
	case c.markdown:
		return printTo(printable.NewWriter(c.Raw), func(w io.Writer) error {
			return report.ProfileComparisonMarkdown(w, r, c.all)
		})
	}
	report.ProfileComparison(c.Out, r, c.all, c.Width)
	return nil
}
