package settings

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestHelp compares with testdata/help.txt and testdata/help-worker.txt; -update rewrites them.
func TestHelp(t *testing.T) {
	testHelp(t, "help.txt", Parse)
	testHelp(t, "help-worker.txt", ParseWorker)
	for _, command := range []string{CommandServe, CommandRoom, CommandWorker} {
		testHelp(t, "help-onthestack-"+command+".txt", commandParser(command))
	}
}

// commandParser returns the parser of a command of onthestack.
func commandParser(command string) func([]string, func(string) (string, bool), io.Writer) (Settings, error) {
	return func(args []string, lookup func(string) (string, bool), out io.Writer) (Settings, error) {
		return ParseCommand(command, args, lookup, out)
	}
}

// TestCommands reads the settings of the commands of onthestack.
func TestCommands(t *testing.T) {
	for _, c := range []struct {
		command, args, mistake string
		room                   bool
	}{
		{command: CommandServe},
		{command: CommandServe, args: "--room on", room: true},
		{command: CommandServe, args: "--site public", mistake: "unknown flag: --site"},
		{command: CommandServe, args: "--nats nats://host:4222", mistake: "--nats requires"},
		{command: CommandRoom, room: true},
		{command: CommandRoom, args: "--nats nats://host:4222", room: true},
		{command: CommandRoom, args: "--room off", mistake: "unknown flag: --room"},
		{command: CommandWorker, mistake: "a worker takes its work from a NATS cluster"},
		{command: CommandWorker, args: "--nats nats://host:4222"},
		{command: CommandWorker, args: "--nats nats://host:4222 --addr :1", mistake: "unknown flag: --addr"},
	} {
		s, err := ParseCommand(c.command, strings.Fields(c.args), noEnvironment, io.Discard)
		switch {
		case c.mistake != "":
			if err == nil || !strings.Contains(err.Error(), c.mistake) {
				t.Errorf("%s %s: %v, want %q", c.command, c.args, err, c.mistake)
			}
		case err != nil || s.Room != c.room || s.Command != "onthestack "+c.command:
			t.Errorf("%s %s: %v: %q, room %v", c.command, c.args, err, s.Command, s.Room)
		}
	}
}

func testHelp(t *testing.T, file string,
	parse func([]string, func(string) (string, bool), io.Writer) (Settings, error)) {
	t.Helper()
	var out bytes.Buffer
	if _, err := parse([]string{"-h"}, noEnvironment, &out); !errors.Is(err, pflag.ErrHelp) {
		t.Errorf("error %v", err)
	}
	golden := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the help is\n%s\nwant\n%s", &out, want)
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 120 {
			t.Errorf("%d bytes are too many for a line: %s", len(line), line)
		}
	}
}

// TestFlagsInTheBook tests that the book's table has exactly the runner's flags.
func TestFlagsInTheBook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "book", "running-a-classroom", "deploying.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `--") {
			rows++
		}
	}
	count := 0
	for _, section := range new(Settings).sections() {
		section.VisitAll(func(f *pflag.Flag) {
			count++
			row := fmt.Sprintf("| `--%s` | `%s` | ", f.Name, envName(f.Name))
			if !strings.Contains(string(text), row) {
				t.Errorf("the table has no row that begins with %s", row)
			}
		})
	}
	if rows != count {
		t.Errorf("the table has %d rows, and there are %d flags", rows, count)
	}
}
