package wire

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maxFrames bounds the frames of a stack. The runtime keeps 128 calls, and inlined calls are frames of their own.
const maxFrames = 256

// Parse reads a report. The memory it uses is bounded by the length of text. An incomplete last line, which a program
// leaves that died while writing, is ignored. An error names the line of anything else that testmain does not write.
func Parse(text []byte) (Report, error) {
	var p parser
	n := 0
	for line := range strings.Lines(string(text)) {
		line, whole := strings.CutSuffix(line, "\n")
		if !whole {
			break
		}
		n++
		if err := p.add(line); err != nil {
			return p.Report, fmt.Errorf("report from the test binary, line %d: %w", n, err)
		}
	}
	return p.Report, nil
}

// A parser is a report, with the stack to which the following frames belong; nil for none.
type parser struct {
	Report
	stack *Stack
}

// add adds one event to the report.
func (p *parser) add(line string) error {
	word, fields, some := strings.Cut(line, " ")
	f := scanner{rest: fields, failed: some && fields == ""}
	if p.Done {
		return errors.New("goes on after its end")
	}
	begins := word == wordTests || word == wordBenchmarks
	if begun := p.Tested || p.Measuring; begun && begins {
		return errors.New("begins twice")
	} else if !begun && !begins {
		return errors.New("begins with neither the tests nor the benchmarks")
	}
	switch word {
	case wordTests:
		p.Tested, p.Code = true, f.int(math.MinInt32, math.MaxInt32)
	case wordBenchmarks:
		p.Measuring, f.failed = true, some
	case wordBegin:
		p.Running = f.string()
	case wordFailed:
		p.measured(Benchmark{Name: f.string(), Failed: true})
	case wordSkipped:
		p.Skipped = append(p.Skipped, Skipped{Name: f.string(), Why: f.string()})
		p.Running, p.Last = "", last(p.Skipped).Name
	case wordBenchmark:
		p.measured(f.benchmark())
	case wordStack, wordHeld:
		b := last(p.Benchmarks)
		if b == nil || b.Failed {
			return errors.New("has a stack that belongs to no measured benchmark")
		}
		stacks := &b.Stacks
		if word == wordHeld {
			stacks = &b.HeldAtStart
		}
		*stacks = append(*stacks, Stack{Objects: f.int64(-maxCount, maxCount), Size: f.int64(0, maxCount)})
		p.stack = last(*stacks)
	case wordFrame:
		if p.stack == nil || len(p.stack.Frames) == maxFrames {
			return errors.New("has a frame that belongs to no stack, or one too many")
		}
		frame := Frame{Func: f.string(), File: f.string(), Line: f.int(0, math.MaxInt32)}
		p.stack.Frames = append(p.stack.Frames, frame)
	case wordDone:
		p.Done = true
	default:
		return fmt.Errorf("begins with %.40q", word)
	}
	if f.failed || f.rest != "" {
		return fmt.Errorf("has malformed fields of %q: %.200q", word, fields)
	}
	return nil
}

// measured adds the result of a benchmark.
func (p *parser) measured(b Benchmark) {
	p.Benchmarks = append(p.Benchmarks, b)
	p.Running, p.Last, p.stack = "", b.Name, nil
}

// Interrupted returns the benchmark in which an incomplete report ends: the one that was running or, between
// sub-benchmarks, the function that runs them. It is "" if the report does not say.
func (r Report) Interrupted() string {
	parent, _, isSub := strings.Cut(r.Last, "/")
	switch {
	case r.Done:
		return ""
	case r.Running != "":
		return r.Running
	case isSub:
		return parent
	}
	return ""
}

// Ended returns the names of the benchmarks that were measured, failed or were skipped.
func (r Report) Ended() (names []string) {
	for _, b := range r.Benchmarks {
		names = append(names, b.Name)
	}
	for _, s := range r.Skipped {
		names = append(names, s.Name)
	}
	return names
}

// maxCount bounds counts, so that a sum of products of two is exact as a float64. No program lives long enough to reach
// it.
const maxCount = 1 << 40

func last[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[len(list)-1]
}

// A scanner reads the fields of a line from left to right, each of which follows a space. It sets failed at a field
// that is not valid.
type scanner struct {
	rest   string
	failed bool
}

// benchmark reads the fields of a benchmark's line.
func (s *scanner) benchmark() Benchmark {
	b := Benchmark{
		Name: s.string(), N: s.int(1, math.MaxInt32),
		NsPerOp: s.float(), BytesPerOp: s.float(), AllocsPerOp: s.float(),
		Profiled: s.int(1, math.MaxInt32), LiveBytesPerOp: s.float(), Apart: s.bool(),
		Later:     Later{N: s.int(0, math.MaxInt32), AllocsPerOp: s.float(), BytesPerOp: s.float()},
		Confirmed: s.int(0, math.MaxInt32), FirstBytes: s.int64(0, maxCount),
	}
	for s.rest != "" {
		b.NsSamples = append(b.NsSamples, s.float())
	}
	return b
}

func (s *scanner) word() string {
	word, rest, more := strings.Cut(s.rest, " ")
	s.failed = s.failed || word == "" || more && rest == ""
	s.rest = rest
	return word
}

func (s *scanner) string() string {
	quoted, err := strconv.QuotedPrefix(s.rest)
	if err != nil || quoted[0] != '"' {
		s.failed, s.rest = true, ""
		return ""
	}
	s.rest = s.rest[len(quoted):]
	if s.rest != "" {
		var spaced bool
		s.rest, spaced = strings.CutPrefix(s.rest, " ")
		s.failed = s.failed || !spaced || s.rest == ""
	}
	text, err := strconv.Unquote(quoted)
	s.failed = s.failed || err != nil
	return text
}

func (s *scanner) int64(least, most int64) int64 {
	n, err := strconv.ParseInt(s.word(), 10, 64)
	s.failed = s.failed || err != nil || n < least || n > most
	return n
}

func (s *scanner) int(least, most int64) int { return int(s.int64(least, most)) }

func (s *scanner) bool() bool {
	word := s.word()
	s.failed = s.failed || word != "true" && word != "false"
	return word == "true"
}

func (s *scanner) float() float64 {
	f, err := strconv.ParseFloat(s.word(), 64)
	s.failed = s.failed || err != nil || !(f >= 0 && f <= math.MaxFloat64)
	return f
}
