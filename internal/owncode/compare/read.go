package compare

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"onthestack/internal/verdict"
)

// maxSize is the largest size of a saved verdict, in bytes.
const maxSize = 64 << 20

// maxSamples bounds the measurements of ns/op of a benchmark. A -count of a thousand takes a day.
const maxSamples = 10_000

// maxFigure is above any figure per operation.
const maxFigure = 1e18

// Read reads a verdict that was saved as JSON. Its errors begin with the name, with line and column if known.
func Read(r io.Reader, name string) (*verdict.Verdict, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxSize {
		return nil, fmt.Errorf("%s: larger than %d MiB, so it is not a verdict", name, maxSize>>20)
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, fmt.Errorf("%s: is UTF-16, as some shells write redirected output: save it as UTF-8", name)
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s: is empty: save a verdict there with --json", name)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := decode(data, name, &head); err != nil {
		return nil, err
	}
	switch head.Schema {
	case verdict.Schema:
	case "":
		return nil, fmt.Errorf("%s: is not a verdict: it names no schema; save one with --json", name)
	default:
		return nil, fmt.Errorf("%s: its schema is %q, and this program reads %q: save it again with this one", name,
			head.Schema, verdict.Schema)
	}
	var v verdict.Verdict
	if err := decode(data, name, &v); err != nil {
		return nil, err
	}
	if err := plausible(&v); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &v, nil
}

// decode decodes a single value, with errors that name line and column.
func decode(data []byte, name string, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	err := d.Decode(to)
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: unexpected end of JSON input: the file is cut short, save it again",
			jsonPosition(data, name, int64(len(data))))
	case errors.As(err, &syntax):
		// Offset is the one after the wrong byte.
		return fmt.Errorf("%s: %w: this is not JSON", jsonPosition(data, name, syntax.Offset-1), err)
	case errors.As(err, &kind):
		return fmt.Errorf("%s: %s is a JSON %s, which a verdict does not have there",
			jsonPosition(data, name, kind.Offset-1), cmp.Or(kind.Field, "the whole"), kind.Value)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return fmt.Errorf("%s: a second value begins here: save one verdict per file",
			jsonPosition(data, name, int64(len(data)-len(rest))))
	}
	return nil
}

// jsonPosition returns "name:line:column" of an offset. Lines and columns count from 1, columns in characters.
func jsonPosition(data []byte, name string, offset int64) string {
	before := data[:min(max(offset, 0), int64(len(data)))]
	lineStart := bytes.LastIndexByte(before, '\n') + 1
	return fmt.Sprintf("%s:%d:%d", name, bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(before[lineStart:])+1)
}

// plausible returns an error for figures that cannot be measurements, as in a file that was written by hand or by
// another program.
func plausible(v *verdict.Verdict) error {
	check := func(subject string, figures ...float64) error {
		for _, f := range figures {
			if f < 0 || f > maxFigure {
				return fmt.Errorf("%s: %g is not a figure per operation", subject, f)
			}
		}
		return nil
	}
	known := map[string]bool{}
	for _, b := range v.Benchmarks {
		known[b.Name] = true
		if len(b.NsSamples) > maxSamples {
			return fmt.Errorf("%s has %d ns_samples: at most %d are compared", b.Name, len(b.NsSamples), maxSamples)
		}
		figures := append([]float64{b.NsPerOp, b.AllocsPerOp, b.BytesPerOp}, b.NsSamples...)
		if err := check(b.Name, figures...); err != nil {
			return err
		}
	}
	for _, a := range v.Allocations {
		if !known[a.Benchmark] {
			return fmt.Errorf("%s:%d allocates in benchmark %q, which the verdict does not have", a.File,
				a.Line, a.Benchmark)
		}
		subject := fmt.Sprintf("%s:%d in %s", a.File, a.Line, a.Benchmark)
		if err := check(subject, a.AllocsPerOp, a.BytesPerOp); err != nil {
			return err
		}
	}
	return nil
}
