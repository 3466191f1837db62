package expand

import (
	"fmt"
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
