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
	for command, file := range map[Command]string{Runner: "help.txt", RunnerWorker: "help-worker.txt",
		OneFileServe: "help-onthestack-serve.txt", OneFileRoom: "help-onthestack-room.txt",
		OneFileWorker: "help-onthestack-worker.txt"} {
		testHelp(t, file, command)
	}
}

// TestCommands reads the settings of the commands of onthestack.
func TestCommands(t *testing.T) {
	for _, c := range []struct {
		command       Command
		args, mistake string
		room          bool
	}{
		{command: OneFileServe},
		{command: OneFileServe, args: "--room on", room: true},
		{command: OneFileServe, args: "--site public", mistake: "unknown flag: --site"},
		{command: OneFileServe, args: "--nats nats://host:4222", mistake: "--nats requires"},
		{command: OneFileRoom, room: true},
		{command: OneFileRoom, args: "--nats nats://host:4222", room: true},
		{command: OneFileRoom, args: "--room off", mistake: "unknown flag: --room"},
		{command: OneFileWorker, mistake: "a worker takes its work from a NATS cluster"},
		{command: OneFileWorker, args: "--nats nats://host:4222"},
		{command: OneFileWorker, args: "--nats nats://host:4222 --addr :1", mistake: "unknown flag: --addr"},
	} {
		s, err := c.command.Parse(strings.Fields(c.args), noEnvironment, io.Discard)
		switch {
		case c.mistake != "":
			if err == nil || !strings.Contains(err.Error(), c.mistake) {
				t.Errorf("%s %s: %v, want %q", c.command, c.args, err, c.mistake)
			}
		case err != nil || s.Room != c.room || s.Command != string(c.command):
			t.Errorf("%s %s: %v: %q, room %v", c.command, c.args, err, s.Command, s.Room)
		}
	}
}

func testHelp(t *testing.T, file string, command Command) {
	t.Helper()
	var out bytes.Buffer
	if _, err := command.Parse([]string{"-h"}, noEnvironment, &out); !errors.Is(err, pflag.ErrHelp) {
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

// TestFlagsOnThePage tests that the site's table has exactly the runner's flags.
func TestFlagsOnThePage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "site", "content", "instructors", "server", "deploying.md"))
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
