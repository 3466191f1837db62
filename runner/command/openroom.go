package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"onthestack/runner/address"
	"onthestack/runner/api"
	"onthestack/runner/room/roomhttp"
	"onthestack/runner/settings"
)

// A terminal is the input and the output of the person who started the server.
type terminal struct {
	in     io.Reader
	out    io.Writer
	person bool // whether both are a terminal, so that somebody can answer a question
}

func newTerminal(in io.Reader, out io.Writer) terminal {
	return terminal{in, out, isTerminal(in) && isTerminal(out)}
}

// openRoom opens the room of --room-title, or goes on with the one that exists. It prints to the terminal which of the
// two it does. If a class has left the room, it asks there whether to go on with it.
func openRoom(ctx context.Context, server *api.Server, set settings.Settings, t terminal) (roomhttp.Start, error) {
	found, ok, err := server.FindRoom(ctx)
	if err != nil {
		return roomhttp.Start{}, err
	}
	all := server.Exercises()
	if ok && goesOn(ctx, found, set, t) {
		fmt.Fprintf(t.out, "\nContinuing with the room %q: %s, %s.\n", found.Title, exercisesWords(found.Exercises, all),
			peopleWords(found, time.Now()))
		fmt.Fprint(t.out, seesCodeWords(found.SeesCode, set.SeesCode))
		return found, nil
	}
	if ctx.Err() != nil {
		return roomhttp.Start{}, ctx.Err()
	}
	chosen := set.Exercises
	if chosen == nil {
		chosen = all
	}
	fmt.Fprintf(t.out, "\nOpening a new room with %s.\n", exercisesWords(chosen, all))
	fmt.Fprint(t.out, seesCodeWords(set.SeesCode, set.SeesCode))
	return server.OpenRoom(ctx)
}

// seesCodeWords returns what a room shows its instructor of checks, and that this is not what the flag asks for: the
// participants were told when the room was opened. It returns "" if a room without the code is asked for.
func seesCodeWords(sees, asked bool) string {
	switch {
	case sees && asked:
		return "You see the code of each participant's last check, and they are told so.\n"
	case sees:
		return "You see the code of each participant's last check: the room was opened with --room-sees-code on, and " +
			"stays so.\n"
	case asked:
		return "You do not see the code of checks: the room was opened without --room-sees-code on, and stays so. " +
			"End it to open another one.\n"
	}
	return ""
}

// goesOn reports whether to go on with a room. If a class has left it, the person at the terminal decides. Without a
// terminal, the server goes on only with --room-continue.
func goesOn(ctx context.Context, found roomhttp.Start, set settings.Settings, t terminal) bool {
	switch {
	case !found.Left || set.Continue:
		return true
	case t.person:
		fmt.Fprintf(t.out, "\nThere is a room %q with %s.\n", found.Title, peopleWords(found, time.Now()))
		return ask(ctx, t)
	}
	again := "make room CONTINUE=on, or with --room-continue on"
	if set.Command != "" {
		again = set.Command + " --room-continue on"
	}
	fmt.Fprintf(t.out, "\nThere is a room %q with %s. To continue with it, start with %s.\n", found.Title,
		peopleWords(found, time.Now()), again)
	return false
}

// questions is how often the question is asked. If no answer is "on" or "new", a new room is opened.
const questions = 3

// ask asks the person at the terminal whether to go on with a room. If there is no answer, as when the input ends, it
// reports false, for a new room.
func ask(ctx context.Context, t terminal) (goOn bool) {
	lines := make(chan string)
	// If the server stops while nobody answers, this waits for a line until the process ends.
	go func() {
		defer close(lines)
		for scan := bufio.NewScanner(t.in); scan.Scan(); {
			select {
			case lines <- scan.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	for range questions {
		fmt.Fprint(t.out, "Type \"on\" to continue with this room, or \"new\" to open a new one [new]: ")
		select {
		case line, ok := <-lines:
			switch strings.ToLower(strings.Trim(strings.TrimSpace(line), `"`)) {
			case "on", "go on":
				return true
			case "new", "":
				if !ok {
					fmt.Fprintln(t.out)
				}
				return false
			}
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// exercisesWords returns which exercises a room has: "exercises 6 and 7".
func exercisesWords(exercises, all []string) string {
	if len(exercises) == len(all) {
		return fmt.Sprintf("all %d exercises", len(all))
	}
	var numbers []string
	for _, id := range exercises {
		numbers = append(numbers, strings.TrimPrefix(id, "exercise"))
	}
	last := len(numbers) - 1
	if last == 0 {
		return "exercise " + numbers[0]
	}
	return "exercises " + strings.Join(numbers[:last], ", ") + " and " + numbers[last]
}

// peopleWords returns who is in a room, and since when nothing has changed there.
func peopleWords(r roomhttp.Start, now time.Time) string {
	people := "no participants"
	switch r.Participants {
	case 0:
	case 1:
		people = "1 participant"
	default:
		people = fmt.Sprintf("%d participants", r.Participants)
	}
	day := "2 January 2006"
	changed := r.Changed.Local()
	if changed.Format(day) == now.Format(day) {
		day = "today"
	} else {
		day = "on " + changed.Format(day)
	}
	return fmt.Sprintf("%s, last changed %s at %s", people, day, changed.Format("15:04"))
}

// roomText opens the room of --room-title, and returns what is printed about it to the terminal: "" if there is none.
// The instructor's token is in it only if what is printed is private.
func roomText(
	ctx context.Context, server *api.Server, set settings.Settings, listener net.Listener, t terminal,
) (string, error) {
	opened, err := openRoom(ctx, server, set, t)
	switch {
	case ctx.Err() != nil:
		return "", nil // the server stops
	case err != nil:
		return "", err
	}
	private, instructor := isTerminal(t.out), ""
	if private {
		instructor = server.InstructorToken()
	}
	colors := private && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return roomInfo(set, address.Find(listener.Addr(), set.Public), opened, instructor, colors)
}
