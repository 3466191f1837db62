package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"onthestack/internal/exercise"
	"onthestack/internal/sandbox"
	"onthestack/runner/api"
	runner "onthestack/runner/command"
	"onthestack/runner/settings"
	"onthestack/tools/checkalloc/app"
	"onthestack/tools/checkalloc/command"
)

// serverCommands are the commands of the runner, with what they do.
var serverCommands = []struct{ name, does string }{
	{settings.CommandServe, "serve the workbook to this machine, or with --addr 0.0.0.0:8080 to its network"},
	{settings.CommandRoom, "serve it with a room, in which a class hands in its solutions"},
	{settings.CommandWorker, "check for the servers of a NATS cluster"},
}

// run runs one command and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	switch {
	case api.IsProcess(args): // the server runs itself to do one thing
		return runner.Run(args, stdin, stdout, stderr)
	case len(args) > 0 && isServer(args[0]):
		return runner.RunOneFile(args[0], openSite, args[1:], stdout, stderr)
	case len(args) == 2 && args[0] == "help" && isServer(args[1]):
		return runner.RunOneFile(args[1], openSite, []string{"--help"}, stdout, stderr)
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

func isServer(name string) bool {
	for _, c := range serverCommands {
		if c.name == name {
			return true
		}
	}
	return false
}

// extend adds to the commands of checkalloc what this program has besides: for the help and for completion, the
// runner's commands, which run calls itself, because they handle signals in another way.
func extend(root *cobra.Command) {
	const group = "server"
	root.AddGroup(&cobra.Group{ID: group, Title: "For a class"})
	for _, c := range serverCommands {
		root.AddCommand(&cobra.Command{
			Use: c.name + " [FLAG...]", Short: c.does, GroupID: group,
			DisableFlagParsing: true, DisableFlagsInUseLine: true,
			RunE: func(*cobra.Command, []string) error {
				return app.Usagef("write %s before its flags: \"%s %s --help\" lists them", c.name, settings.OneFile,
					c.name)
			},
		})
	}
	root.Short = "the workbook in one file"
	root.Version = version()
	root.SetVersionTemplate("{{println .Version}}")
	root.Flags().Bool("version", false, "print the release, the commit and the Go release of this program")
}
