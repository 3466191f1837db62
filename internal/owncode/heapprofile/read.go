package heapprofile

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// Limits on a profile, in bytes: as it is read, decompressed, in the text form, and in memory as it is decoded. The
// profile of a program with a hundred thousand stacks has some ten million bytes.
const (
	maxRead = 256 << 20
	maxText = 64 << 20
)

// Tests lower these.
var (
	maxData    int64 = 1 << 30
	maxDecoded int64 = 4 << 30
)

// maxValue bounds the figures of a profile, so that their sums are exact as a float64.
const maxValue = 1 << 53

// A Profile is a heap profile, as the runtime and tools write it.
type Profile struct {
	data *profile.Profile
	// columns has the index of each of the values in a sample, -1 for none.
	columns [4]int
	// Rate is the number of bytes that are allocated from sample to sample, on average; 1 if every allocation was
	// recorded, and 0 if the profile does not say.
	Rate int64
	// Taken is when the profile was taken, and Duration how long that took; zero if it does not say.
	Taken    time.Time
	Duration time.Duration
}

// The values of a sample.
const (
	allocObjects = iota
	allocBytes
	inUseObjects
	inUseBytes
)

var columnNames = [4]string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}

// An InputError says why a file or an answer is no heap profile, and what to do. Its text follows the name of the file:
// "is empty".
type InputError struct{ why string }

func (e InputError) Error() string { return e.why }

func inputErrorf(format string, args ...any) error { return InputError{fmt.Sprintf(format, args...)} }

// fetchIt says where a heap profile comes from.
const fetchIt = "fetch /debug/pprof/allocs of the program, or record one with go test -memprofile"

// Open reads a profile from a file, from stdin for "-", or from an address. Errors begin with the name.
func Open(ctx context.Context, name string, stdin io.Reader) (*Profile, error) {
	switch {
	case name == "-":
		p, err := Read(stdin)
		return p, named("standard input", err)
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		return fetch(ctx, name)
	}
	return openFile(name)
}

func openFile(name string) (*Profile, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a folder: name the file of a profile", name)
	}
	p, err := Read(f)
	return p, named(name, err)
}

// named puts the name of a profile before an error about it.
func named(name string, err error) error {
	var input InputError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &input):
		return fmt.Errorf("%s %w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// grace is how long an answer may take in addition to the seconds over which the program records it.
const grace = 30 * time.Second

// fetch reads a profile from an address. Errors name the address without a password.
func fetch(ctx context.Context, address string) (*Profile, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the address of the profile cannot be read: %w", withoutURL(err))
	}
	name, limit := u.Redacted(), grace
	if seconds := u.Query().Get("seconds"); seconds != "" {
		n, err := strconv.ParseFloat(seconds, 64)
		if err != nil || n < 0 || n > (24*time.Hour).Seconds() {
			return nil, fmt.Errorf("%s: seconds=%s is no number of seconds", name, seconds)
		}
		limit += time.Duration(n * float64(time.Second))
	}
	late := fmt.Errorf("%s did not answer within %v", name, limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, withoutURL(err))
	}
	response, err := http.DefaultClient.Do(request)
	if err == nil {
		defer response.Body.Close()
		if err = answered(response); err == nil {
			var p *Profile
			if p, err = Read(response.Body); err == nil {
				return p, nil
			}
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	return nil, named(name, withoutURL(err))
}

// withoutURL returns an error about an address without the address, which may have a password.
func withoutURL(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// answered returns an error for an answer that is no profile by its status or its type.
func answered(response *http.Response) error {
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
		if strings.HasPrefix(first, "<") {
			first = ""
		}
		return inputErrorf("answered %s", strings.TrimSuffix(response.Status+": "+first, ": "))
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind == "text/html" {
		return inputErrorf("answered with a page, not with a profile: add /debug/pprof/allocs to the address of the program")
	}
	return nil
}

// Read reads a profile in any of the forms in which the runtime and pprof write it: encoded, compressed or not, or as the
// text of debug=1. The error is an InputError if it is no heap profile.
func Read(r io.Reader) (*Profile, error) {
	data, err := readAll(r, maxRead)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		if data, err = decompress(data); err != nil {
			return nil, err
		}
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, inputErrorf("is empty: %s", fetchIt)
	}
	var decoded *profile.Profile
	if bytes.HasPrefix(data, []byte("heap profile: ")) {
		decoded, err = parseText(data)
	} else {
		decoded, err = parseEncoded(data)
	}
	if err != nil {
		return nil, err
	}
	return newProfile(decoded)
}

func readAll(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if int64(len(data)) > limit {
		return nil, inputErrorf("has more than %d MiB, more than is read", limit>>20)
	}
	return data, err
}

func decompress(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		data, err = readAll(z, maxData)
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return nil, inputErrorf("is truncated: its compressed data ends early; fetch it again")
	case errors.As(err, new(InputError)), err == nil:
		return data, err
	}
	return nil, inputErrorf("is damaged: %v; fetch it again", err)
}

// parseEncoded decodes a protocol buffer.
func parseEncoded(data []byte) (*profile.Profile, error) {
	if what := foreign(data); what != "" {
		return nil, inputErrorf("is %s, not a heap profile: %s", what, fetchIt)
	}
	samples, size, err := scan(data)
	switch {
	case err != nil && samples > 0:
		return nil, inputErrorf("is truncated or damaged: %v; fetch it again", err)
	case err != nil:
		return nil, inputErrorf("is not a profile: %s", fetchIt)
	case size > maxDecoded:
		return nil, inputErrorf("has %d samples, which would take more than %d MiB of memory", samples, maxDecoded>>20)
	}
	p, err := profile.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, inputErrorf("is not a valid profile: %v", err)
	}
	return p, nil
}

// foreign names what is often given in place of a profile, "" for anything else.
func foreign(data []byte) string {
	begin := string(data[:min(len(data), 64)])
	for _, f := range []struct{ prefix, what string }{
		{"\x7fELF", "a program"}, {"MZ", "a program"}, {"\xcf\xfa\xed\xfe", "a program"},
		{"PK\x03\x04", "a zip archive"}, {"\x28\xb5\x2f\xfd", "compressed with zstd"},
		{"go 1.", "an execution trace"}, {"goroutine profile:", "a goroutine profile"},
		{"goroutine ", "a dump of goroutines"}, {"threadcreate profile:", "a profile of threads"},
		{"--- mutex:", "a mutex profile"}, {"--- contention:", "a block profile"},
		{"mode: ", "a coverage profile"}, {"<", "a page"}, {"{", "JSON"}, {"#!", "a script"}, {"package ", "a Go file"},
	} {
		if strings.HasPrefix(strings.TrimLeft(begin, " \r\n\t"), f.prefix) {
			return f.what
		}
	}
	return ""
}

// newProfile checks that a profile is of the heap, and finds its values.
func newProfile(data *profile.Profile) (*Profile, error) {
	p := &Profile{data: data, columns: [4]int{-1, -1, -1, -1}, Duration: time.Duration(max(0, data.DurationNanos))}
	if data.TimeNanos > 0 {
		p.Taken = time.Unix(0, data.TimeNanos)
	}
	if data.PeriodType != nil && data.PeriodType.Unit == "bytes" && data.Period > 0 {
		p.Rate = data.Period
	}
	var types []string
	for i, t := range data.SampleType {
		types = append(types, t.Type)
		for column, name := range columnNames {
			// Exporters put the name into one of their own: "memory:alloc_space:bytes:space:bytes".
			if slices.Contains(strings.Split(t.Type, ":"), name) ||
				len(data.SampleType) == 2 && data.PeriodType != nil && data.PeriodType.Type == "space" && // in an old text
					t.Type == strings.TrimPrefix(name, "inuse_") {
				p.columns[column] = i
			}
		}
	}
	if p.columns[allocBytes] < 0 && p.columns[inUseBytes] < 0 {
		return nil, inputErrorf("is %s, not a heap profile: %s", kindOf(types), fetchIt)
	}
	if len(data.Sample) == 0 {
		return nil, inputErrorf("has no samples: the program has allocated too little, or runtime.MemProfileRate is 0 in it")
	}
	if !slices.ContainsFunc(data.Location, func(l *profile.Location) bool { return len(l.Line) > 0 }) {
		return nil, inputErrorf("has no names of functions: fetch it from the program itself, or add them with " +
			"\"go tool pprof -proto PROGRAM FILE\"")
	}
	return p, nil
}

// kindOf names the kind of a profile by the types of its samples.
func kindOf(types []string) string {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(types, n) })
	}
	switch {
	case has("cpu", "samples", "process_cpu"):
		return "a CPU profile"
	case has("goroutine", "goroutines", "goroutineleak"):
		return "a goroutine profile"
	case has("contentions", "delay"):
		return "a mutex or block profile"
	case has("threadcreate", "thread"):
		return "a profile of threads"
	case has("alloc_objects", "inuse_objects"):
		return "a profile that counts objects and not bytes"
	case len(types) == 0:
		return "a profile without types"
	}
	return fmt.Sprintf("a profile of %q", strings.Join(types, ", "))
}

// Label returns the value that all labels of a name have in the profile, "" if there is none or several.
func (p *Profile) Label(name string) (value string) {
	for _, s := range p.data.Sample {
		for _, v := range s.Label[name] {
			if value != "" && v != value {
				return ""
			}
			value = v
		}
	}
	return value
}
