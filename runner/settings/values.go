package settings

import (
	"errors"
	"fmt"
	"go/version"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A size is a number of bytes, which the user writes with a unit.
type size int64

var units = []struct {
	name  string
	bytes size
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

func (s *size) Type() string { return "size" }

func (s *size) String() string {
	for _, u := range units {
		if *s > 0 && *s%u.bytes == 0 {
			return strconv.FormatInt(int64(*s/u.bytes), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Set reads a number with a unit. A number without a unit is ambiguous, and an error unless it is 0.
func (s *size) Set(text string) error {
	if text == "0" {
		*s = 0
		return nil
	}
	for _, u := range units {
		if number, ok := strings.CutSuffix(text, u.name); ok {
			n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
			if err == nil && n >= 0 && n <= math.MaxInt64/int64(u.bytes) {
				*s = size(n) * u.bytes
				return nil
			}
		}
	}
	return errors.New("give a size with its unit, such as 64MiB or 500KiB")
}

// releases is a list of Go releases, "go1.27" or "go1.27.4". The user separates them by commas, without "go".
type releases []string

// maxReleases bounds the releases. Each needs a compiled standard library.
const maxReleases = 4

func (r *releases) Type() string { return "releases" }

func (r *releases) String() string { return strings.ReplaceAll(strings.Join(*r, ","), "go", "") }

// Set reads a list; "" is the empty one.
func (r *releases) Set(text string) error {
	*r = nil
	for name := range strings.SplitSeq(text, ",") {
		v := "go" + strings.TrimPrefix(strings.TrimSpace(name), "go")
		switch {
		case text == "":
		case !version.IsValid(v) || v == "go1":
			return errors.New("give releases such as 1.27 or 1.27.4, separated by commas")
		case !slices.Contains(*r, v):
			*r = append(*r, v)
		}
	}
	if len(*r) > maxReleases {
		return fmt.Errorf("give at most %d releases", maxReleases)
	}
	return nil
}

// A word is a flag whose value is one of several words.
type word struct {
	value *string
	words []string
}

func (w *word) Type() string { return strings.Join(w.words, "|") }

func (w *word) String() string { return *w.value }

func (w *word) Set(text string) error {
	if !slices.Contains(w.words, text) {
		last := len(w.words) - 1
		return fmt.Errorf("give %s or %s", strings.Join(w.words[:last], ", "), w.words[last])
	}
	*w.value = text
	return nil
}

// An onOff is a flag whose value is on or off.
type onOff bool

func (o *onOff) Type() string { return "on|off" }

func (o *onOff) String() string {
	if *o {
		return "on"
	}
	return "off"
}

func (o *onOff) Set(text string) error {
	if text != "on" && text != "off" {
		return errors.New("give on or off")
	}
	*o = text == "on"
	return nil
}
