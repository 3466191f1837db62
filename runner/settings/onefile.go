package settings

import (
	"io"
	"strings"
)

// OneFile is the name of the program that has the site inside.
const OneFile = "onthestack"

// The commands of that program that have settings.
const (
	CommandServe  = "serve"
	CommandRoom   = "room"
	CommandWorker = "worker"
)

// The help of these commands. The text after the flags is the runner's.
var (
	serveHelp = helpText{
		`Serves the workbook, checks its exercises and runs its programs. Without Go on this machine, it serves
the workbook, and the pages check and run by themselves.

Usage: onthestack serve [flags]
`,
		runnerHelp.after,
	}
	roomHelp = helpText{
		`Serves the workbook with a room, in which a class hands in its solutions. It needs Go on this machine.

Usage: onthestack room [flags]
`,
		runnerHelp.after,
	}
)

// ParseCommand is Parse for a command of onthestack. It has no flags about the site, which is inside the program, and
// CommandRoom always has rooms.
func ParseCommand(
	command string, args []string, lookup func(string) (string, bool), out io.Writer,
) (Settings, error) {
	s := defaults()
	s.Command = OneFile + " " + command
	s.Room = command == CommandRoom
	text, has, validate := serveHelp, ofServe, Settings.validateRooms
	switch command {
	case CommandRoom:
		text, has = roomHelp, ofRoom
	case CommandWorker:
		text, has, validate = workerHelp, ofWorker, Settings.validateWorker
		text.before = strings.Replace(text.before, "runner worker", s.Command, 1)
	}
	s, err := s.parse(args, lookup, out, text, has)
	if err == nil {
		err = validate(s)
	}
	return s, err
}

func ofServe(flag string) bool { return flag != "site" && flag != "prepare" }

func ofRoom(flag string) bool { return ofServe(flag) && flag != "room" }
