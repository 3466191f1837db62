package sandbox

import (
	"context"
	"slices"

	"onthestack/internal/execution"
)

// Record runs a main package that reports about itself, with the time, the input and the disk of RunProgram. The report
// travels on the channel of a test binary's report, and is bounded by execution.MaxReport. A program that exceeds that
// bound is stopped, and Stop.Kind is execution.Output.
//
// The program is interpreted. Compiling it would take longer than the steps that a recording may have.
func (w Wasm) Record(ctx context.Context, binary string) (*execution.Recording, error) {
	l, err := w.read(binary)
	if err != nil {
		return nil, err
	}
	c := newClock()
	meter := &execution.Meter{Left: w.Limits.Output}
	var pieces []execution.Piece
	defer l.Close()
	stopReport := func() {
		meter.Take(meter.Left + 1) // ends the run as too much output does
	}
	exit, stop, err := l.run(ctx, run{
		args: []string{"prog"}, meter: meter, clock: c, disk: newDisk(c, w.Zones),
		stdout: pieceWriter{&pieces, c, execution.Stdout, meter}, stderr: pieceWriter{&pieces, c, execution.Stderr, meter},
		report: pieceWriter{&pieces, c, execution.Report, &execution.Meter{Left: execution.MaxReport, Full: stopReport}},
	})
	if err != nil {
		return nil, err
	}
	return &execution.Recording{Pieces: pieces, Exit: exit, Stop: stop}, nil
}

// A pieceWriter is one stream or the report. A program has one thread, so it needs no lock.
type pieceWriter struct {
	pieces *[]execution.Piece
	clock  *clock
	kind   string
	meter  *execution.Meter
}

// pieceCost is the overhead of a piece in bytes, which counts toward its limit.
const pieceCost = 64

// Write implements io.Writer. It discards what exceeds the limit, and never returns an error.
func (w pieceWriter) Write(p []byte) (int, error) {
	if w.meter.Take(pieceCost) == pieceCost {
		text := slices.Clone(p[:w.meter.Take(len(p))])
		*w.pieces = append(*w.pieces, execution.Piece{Kind: w.kind, Time: w.clock.now, Text: text})
	}
	return len(p), nil
}
