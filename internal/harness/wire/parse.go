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
	var r Report
	rest := string(text)
	for n := 1; ; n++ {
		line, after, whole := strings.Cut(rest, "\n")
		if !whole {
			return r, nil
		}
		if err := r.add(line); err != nil {
			return r, fmt.Errorf("report from the test binary, line %d: %w", n, err)
		}
		rest = after
	}
}

// add adds one event to the report.
func (r *Report) add(line string) error {
	word, fields, some := strings.Cut(line, " ")
	f := scanner{rest: fields, failed: some && fields == ""}
	if r.Done {
		return errors.New("goes on after its end")
	}
	begins := word == wordTests || word == wordBenchmarks
	if begun := r.Tested || r.Measuring; begun && begins {
		return errors.New("begins twice")
	} else if !begun && !begins {
		return errors.New("begins with neither the tests nor the benchmarks")
	}
	var err error
	switch word {
	case wordTests:
		r.Tested, r.Code = true, f.int(math.MinInt32, math.MaxInt32)
	case wordBenchmarks:
		r.Measuring, f.failed = true, some
	case wordBegin:
		r.Running = f.string()
	case wordFailed:
		r.Benchmarks = append(r.Benchmarks, Benchmark{Name: f.string(), Failed: true})
		r.Running, r.Last = "", last(r.Benchmarks).Name
	case wordSkipped:
		r.Skipped = append(r.Skipped, Skipped{Name: f.string(), Why: f.string()})
		r.Running, r.Last = "", last(r.Skipped).Name
	case wordBenchmark:
		r.Benchmarks = append(r.Benchmarks, Benchmark{
			Name: f.string(), N: f.int(1, math.MaxInt32),
			NsPerOp: f.float(), BytesPerOp: f.float(), AllocsPerOp: f.float(),
			Profiled: f.int(1, math.MaxInt32),
		})
		r.Running, r.Last = "", last(r.Benchmarks).Name
	case wordTime, wordLive, wordApart, wordLater:
		err = last(r.Benchmarks).addFigure(word, &f)
	case wordStack, wordConfirmed, wordFrame:
		err = last(r.Benchmarks).addPlace(word, &f)
	case wordDone:
		r.Done = true
	default:
		return fmt.Errorf("begins with %.40q", word)
	}
	if err != nil {
		return err
	}
	if f.failed || f.rest != "" {
		return fmt.Errorf("has malformed fields of %q: %.200q", word, fields)
	}
	return nil
}

// addFigure adds an event with a figure of a benchmark, which is nil if there is none yet. Figures come before stacks.
func (b *Benchmark) addFigure(word string, f *scanner) error {
	ended := b == nil || b.Failed || b.Confirmed > 0 || len(b.Stacks) > 0
	switch word {
	case wordTime:
		if ended {
			return errors.New("has a time that belongs to no measured benchmark")
		}
		b.NsSamples = append(b.NsSamples, f.float())
	case wordLive:
		if ended || b.LiveBytesPerOp > 0 {
			return errors.New("has live bytes that belong to no measured benchmark")
		}
		b.LiveBytesPerOp = f.float()
	case wordApart:
		if ended || b.Apart {
			return errors.New("says \"apart\" of no measured benchmark")
		}
		b.Apart = true
	case wordLater:
		if ended || b.Later.N > 0 {
			return errors.New("has later operations of no measured benchmark")
		}
		b.Later = Later{N: f.int(1, math.MaxInt32), AllocsPerOp: f.float(), BytesPerOp: f.float()}
	}
	return nil
}

// addPlace adds an event with a stack of a benchmark, which is nil if there is none yet, or with its confirmation.
func (b *Benchmark) addPlace(word string, f *scanner) error {
	measured := b != nil && !b.Failed
	switch word {
	case wordStack:
		if !measured {
			return errors.New("has a stack that belongs to no measured benchmark")
		}
		stacks := b.stacks()
		*stacks = append(*stacks, Stack{Objects: f.int64(-maxCount, maxCount), Size: f.int64(0, maxCount)})
	case wordConfirmed:
		if !measured || b.Confirmed > 0 {
			return errors.New("has a confirmation of no measured benchmark, or a second one")
		}
		b.Confirmed, b.FirstBytes = f.int(1, math.MaxInt32), f.int64(0, maxCount)
	case wordFrame:
		var s *Stack
		if b != nil {
			s = last(*b.stacks())
		}
		if s == nil || len(s.Frames) == maxFrames {
			return errors.New("has a frame that belongs to no stack, or one too many")
		}
		s.Frames = append(s.Frames, Frame{Func: f.string(), File: f.string(), Line: f.int(0, math.MaxInt32)})
	}
	return nil
}

// maxCount bounds counts, so that a sum of products of two is exact as a float64. No program lives long enough to reach
// it.
const maxCount = 1 << 40

// stacks returns the list to which the following stacks belong.
func (b *Benchmark) stacks() *[]Stack {
	if b.Confirmed > 0 {
		return &b.HeldAtStart
	}
	return &b.Stacks
}

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

func (s *scanner) float() float64 {
	f, err := strconv.ParseFloat(s.word(), 64)
	s.failed = s.failed || err != nil || !(f >= 0 && f <= math.MaxFloat64)
	return f
}
