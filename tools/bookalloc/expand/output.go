package expand

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"onthestack/internal/bookdata"
)

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
