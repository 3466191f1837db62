package command

import (
	"context"
	"errors"
	"fmt"
	"io"

	"onthestack/internal/exercise"
	"onthestack/runner/api"
	"onthestack/runner/settings"
	"onthestack/runner/store"
)

// work does the work of other runners until ctx is done.
func work(ctx context.Context, set settings.Settings, stdout, stderr io.Writer) error {
	catalog, err := exercise.Sealed()
	if err != nil {
		return err
	}
	worker, err := api.NewWorker(set, catalog, newLog(set, stderr, isTerminal(stderr)))
	if err != nil {
		return err
	}
	err = worker.Work(ctx, func() {
		fmt.Fprintf(stdout, "working for the runners at %s, %d at once\n", store.Hosts(set.NATS), set.Concurrency)
	})
	if ctx.Err() != nil {
		err = nil // stopped by a signal
	}
	return errors.Join(err, worker.Close())
}
