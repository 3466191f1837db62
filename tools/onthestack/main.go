// Onthestack is the workbook in one file, for an instructor to bring along: the runner with the built site inside, and
// the commands of checkalloc. "make dist" builds it; see openSite.
package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/internal/sandbox/jail"
	"onthestack/runner/api"
	runner "onthestack/runner/command"
	"onthestack/runner/settings"
	"onthestack/runner/site"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/command"
)

func main() {
	jail.Main() // does not return in a process that is to run a check's tests
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// serverCommands are the commands of the runner, with what they do.
var serverCommands = map[settings.Command]string{
	settings.OneFileServe:  "serve the workbook to this machine, or with --addr 0.0.0.0:8080 to its network",
	settings.OneFileRoom:   "serve it with a room, in which a class hands in its solutions",
	settings.OneFileWorker: "check for the servers of a NATS cluster",
}

// serverCommand returns the command of the runner that the user types as name.
func serverCommand(name string) (c settings.Command, ok bool) {
	c = settings.Command(settings.OneFile + " " + name)
	_, ok = serverCommands[c]
	return c, ok
}

// run runs one command and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if api.IsProcess(args) { // the server runs itself to do one thing
		return runner.Run(args, stdin, stdout, stderr)
	}
	if len(args) == 2 && args[0] == "help" {
		if c, ok := serverCommand(args[1]); ok {
			return runner.RunCommand(c, openSite, []string{"--help"}, stdin, stdout, stderr)
		}
	}
	if len(args) > 0 {
		if c, ok := serverCommand(args[0]); ok {
			return runner.RunCommand(c, openSite, args[1:], stdin, stdout, stderr)
		}
	}
	catalog, err := exercise.Sealed()
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", settings.OneFile, err)
		return app.ExitFailed
	}
	a := app.New(catalog, sandbox.CheckLimits(), settings.OneFile, stdin, stdout, stderr)
	a.Name = settings.OneFile
	return command.Run(a, args, extend)
}

// extend adds to the commands of checkalloc what this program has besides: for the help and for completion, the
// runner's commands, which run calls itself, because they handle signals in another way.
func extend(root *cobra.Command) {
	const group = "server"
	root.AddGroup(&cobra.Group{ID: group, Title: "For a class"})
	for _, c := range slices.Sorted(maps.Keys(serverCommands)) {
		root.AddCommand(&cobra.Command{
			Use:   strings.TrimPrefix(string(c), settings.OneFile+" ") + " [FLAG...]",
			Short: serverCommands[c], GroupID: group, DisableFlagParsing: true, DisableFlagsInUseLine: true,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return app.Usagef("write %s before its flags: \"%s --help\" lists them", cmd.Name(), c)
			},
		})
	}
	root.Short = "the workbook in one file"
	root.Version = app.Version(release, commit)
}

// openSite returns the files of the site that is inside this program. "make dist" writes the built site into site.zip,
// which siteArchive embeds, and builds with the tag dist. A clone has no built site, so without the tag siteArchive is
// empty, and the commands of checkalloc work all the same.
func openSite() (fs.FS, error) {
	if siteArchive == "" {
		return nil, errors.New("this program was built without the site: \"make dist\" in the clone builds it with " +
			"the site; \"make serve\" serves the workbook there")
	}
	return site.OpenArchive(siteArchive)
}

// Set by "make dist".
var (
	release string // "2026.11.23", the day of the commit, or a tag
	commit  string // "cd870f8fd13b", with "+changes" if files differ from it
)
