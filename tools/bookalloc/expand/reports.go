package expand

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"onthestack/internal/bookdata"
	"onthestack/internal/present/terminal"
	"onthestack/internal/verdict"
)

// width is the width in columns of text that is printed into a page.
const width = 80

// verdict shows the annotated listing. Without JavaScript it shows the text that checkalloc prints.
func (x *expander) verdict(args []string) (string, error) {
	v, err := x.diagnosed(args[0])
	if err != nil {
		return "", err
	}
	sources := map[string][]byte{}
	for _, a := range v.Allocations {
		file, err := bookdata.ReadListingFile(x.book.Files, path.Join(args[0], a.File))
		if err != nil {
			return "", err
		}
		sources[a.File] = []byte(file.Numbered())
	}
	var text strings.Builder
	options := terminal.Options{Width: width, Source: func(file string) []byte { return sources[file] }}
	for _, b := range v.Benchmarks {
		fmt.Fprintf(&text, "  %s   %s   %s B/op\n\n", b.Name, verdict.FormatAllocs(b.AllocsPerOp),
			verdict.FormatBytes(b.BytesPerOp))
	}
	terminal.Allocations(&text, v, options)
	return block("verdict", struct {
		Data *verdict.Verdict
		Text string
	}{v, ansi.Strip(text.String())})
}

// diagnosed returns the verdict on a listing with the compiler's diagnostics.
func (x *expander) diagnosed(listing string) (*verdict.Verdict, error) {
	l, err := x.measured(listing)
	if err != nil {
		return nil, err
	}
	return l.Diagnosed(x.book.Files)
}

// diagnostic matches a line of the compiler's report: its file, its line, and that it is about inlining.
var diagnostic = regexp.MustCompile(`^(?:\./)?([^:]+):(\d+):\d+: (can inline |cannot inline )?`)

// escape shows the compiler's escape report on a region, with explanations. A line of an explanation has the position
// of the diagnostic that it explains, so filtering by position keeps both. Messages about inlining are left out,
// because they are not about memory.
func (x *expander) escape(args []string) (string, error) {
	l, err := x.measured(args[0])
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(args[1], ":")
	_, lines, err := x.read(path.Join(args[0], args[1]))
	if err != nil {
		return "", err
	}
	var report strings.Builder
	for _, line := range l.Report {
		m := diagnostic.FindStringSubmatch(line)
		if m == nil || m[1] != name || m[3] != "" {
			continue
		}
		if n, err := strconv.Atoi(m[2]); err == nil && lines.Contains(n) {
			report.WriteString(line + "\n")
		}
	}
	if report.Len() == 0 {
		return "", fmt.Errorf("the compiler says nothing about %s, %s", name, lines)
	}
	return fence("text", report.String()), nil
}

// output shows commands about a listing with what they print or, without a command, what the listing's program prints.
func (x *expander) output(args []string) (string, error) {
	recorded, err := bookdata.ReadOutput(x.book.Files)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, command := range x.book.outputCommands(args) {
		lines, err := recorded.Of(x.book.Files, args[0], command)
		if err != nil {
			return "", err
		}
		if len(args) > 1 {
			text.WriteString("$ " + command + "\n")
		}
		for _, line := range lines {
			text.WriteString(line + "\n")
		}
	}
	if len(args) > 1 {
		return fence("console", text.String()), nil
	}
	return fmt.Sprintf("<p class=\"ots-caption\">Its output with %s</p>\n\n", Release(recorded.Listings[args[0]].Go)) +
		fence("text", text.String()), nil
}

// outputCommands returns the commands whose output a directive shows.
func (b *Book) outputCommands(args []string) []string {
	if len(args) > 1 {
		return args[1:]
	}
	return []string{bookdata.RunCommand(b.Dir, args[0])}
}

// header matches what pprof prints about the binary and about the run.
var header = regexp.MustCompile(`^(File|Build ID|Time|Duration): `)

// pprof shows what pprof prints about a listing's benchmarks.
func (x *expander) pprof(args []string) (string, error) {
	recorded, err := bookdata.ReadOutput(x.book.Files)
	if err != nil {
		return "", err
	}
	lines, err := recorded.Of(x.book.Files, args[0], x.book.pprofCommand(args))
	return fence("text", strings.Join(slices.DeleteFunc(lines, header.MatchString), "\n")), err
}

// pprofCommand returns the command whose output a directive shows, for a regular expression of -list or for flags. The
// profile is of all allocations in 1000 operations of every benchmark or, for flags after -cpuprofile, of the
// processor's time.
func (b *Book) pprofCommand(args []string) string {
	flags, isCPU := strings.CutPrefix(args[1], "-cpuprofile ")
	profile := "-benchtime 1000x -memprofilerate=1 -memprofile"
	if isCPU {
		profile = "-cpuprofile"
	}
	if !strings.HasPrefix(flags, "-") {
		flags = "-list " + flags
	}
	return fmt.Sprintf("go test -run '^$' -bench . %s profile.out ./%s/%s >%s && go tool pprof '%s' profile.out", profile,
		b.Dir, args[0], os.DevNull, strings.Join(strings.Fields(flags), "' '"))
}
