// Command debug-off writes debug lines to a logger that drops them.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"log/slog"
	"testing"
	"time"
)

var (
	logger  = slog.New(slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelInfo}))
	verbose = false
	ctx     = context.Background()
)

// ANCHOR: debug
func openedDebug(door string, card int, took time.Duration) {
	logger.Debug("opened", "door", door, "card", card, "took", took)
}

// ANCHOR_END: debug

// ANCHOR: debugf
func debugf(format string, args ...any) {
	if verbose {
		log.Printf(format, args...)
	}
}

func openedDebugf(door string, card int, took time.Duration) {
	debugf("opened %s, card %d, after %v", door, card, took)
}

// ANCHOR_END: debugf

// ANCHOR: attrs
func openedAttrs(door string, card int, took time.Duration) {
	logger.LogAttrs(ctx, slog.LevelDebug, "opened",
		slog.String("door", door), slog.Int("card", card), slog.Duration("took", took))
}

// ANCHOR_END: attrs

// ANCHOR: guarded
func openedGuarded(door string, card int, took time.Duration) {
	if logger.Enabled(ctx, slog.LevelDebug) {
		logger.Debug("opened", "door", door, "card", card, "took", took)
	}
}

// ANCHOR_END: guarded

// ANCHOR: main
var (
	door = "garage"
	card = 4788
	took = 3 * time.Second
)

func main() {
	show("Debug:   ", openedDebug)
	show("debugf:  ", openedDebugf)
	show("LogAttrs:", openedAttrs)
	show("Enabled: ", openedGuarded)
}

func show(name string, opened func(door string, card int, took time.Duration)) {
	fmt.Println(name, testing.AllocsPerRun(1000, func() { opened(door, card, took) }), "allocs")
}

// ANCHOR_END: main
