// Load starts a runner and simulates a class of sixty people. Each presses Run or Check several times within a
// minute, each time with another program; a tenth of the programs are hostile. Then one client sends requests that
// may make others wait, one kind after the other, while another client presses Run once a second. Load prints how
// long the clients wait. It fails if an answer is lost or wrong, if the other client waits for more than 3 s, or if
// the runner takes too much memory.
//
// "load room" has a class check and hand in for some minutes in a room, and prints how long it takes until a submission
// is on disk, until it is graded, and until the instructor's grid shows it. "load workers" has one worker on one
// processor, and then two on two, grade submissions, and prints how many they grade in a second. "load loops" has from one
// to eight participants hand in solutions that never end, and fails if another one then waits for a grade for more than
// three times as long as alone.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"onthestack/internal/bookdata"
	"onthestack/internal/exercise"
)

// answerTime is how long after the last press answers may take. A request without an answer by then is lost.
const answerTime = 10 * time.Minute

// options are the options of each command.
type options struct {
	engine string // of checks: the runner's --engine
	file   string // for the figures; "" for none
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if newCommand().ExecuteContext(ctx) != nil { // which cobra has printed
		os.Exit(1)
	}
}

func newCommand() *cobra.Command {
	var o options
	root := classCommand(&o)
	flags := root.PersistentFlags()
	flags.StringVar(&o.engine, "engine", "auto", "`engine` of checks: confined, wasm, or auto for the runner's choice")
	flags.StringVar(&o.file, "json", "", "`file` for the figures, as JSON; it keeps the figures of other tests")
	root.AddCommand(roomCommand(&o), loopsCommand(&o), workersCommand(&o))
	return root
}

// A bench is what each test needs.
type bench struct {
	options
	runner  string // the program to start
	dir     string // for its files
	catalog exercise.Catalog
}

// testCommand returns the command of a load test, which starts the program RUNNER.
func (o *options) testCommand(name, does string, do func(ctx context.Context, b *bench) error) *cobra.Command {
	c := &cobra.Command{
		Use: name + " [flags] RUNNER", Short: does, Args: cobra.ExactArgs(1),
		Long: does + ".\nRUNNER is the program to start, built from ./runner.",
		RunE: func(c *cobra.Command, args []string) (err error) {
			c.SilenceUsage = true
			b := &bench{options: *o, runner: args[0]}
			if b.catalog, err = exercise.Sealed(); err != nil {
				return err
			}
			if b.dir, err = os.MkdirTemp("", "onthestack-load-"); err != nil {
				return fmt.Errorf("make a folder for the runner: %w", err)
			}
			defer os.RemoveAll(b.dir)
			return do(c.Context(), b)
		},
	}
	c.Flags().SortFlags = false
	return c
}

// atLeast returns an error if the value of a flag is less than the least one.
func atLeast[T cmp.Ordered](flag string, value, least T) error {
	if value < least {
		return fmt.Errorf("%s %v: give at least %v", flag, value, least)
	}
	return nil
}

// finish prints the figures, writes them under a name, and returns an error that lists what is wrong. Nothing is written
// if anything was lost or wrong, because the load was then another one; a goal that is missed is a figure like others.
func (o options) finish(name string, f *bookdata.Classroom, wrong, missed []string) error {
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", name, text)
	if o.file != "" && len(wrong) == 0 {
		if err := bookdata.WriteClassroom(o.file, name, f); err != nil {
			return err
		}
	}
	if all := slices.Concat(wrong, missed); len(all) > 0 {
		return errors.New(strings.Join(all, "\n"))
	}
	return nil
}
