package heapprofile_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/userpkg"
)

// types are the types of samples by their names.
func types(names ...string) (types []*profile.ValueType) {
	for _, name := range names {
		unit := "bytes"
		if strings.HasSuffix(name, "objects") {
			unit = "count"
		}
		types = append(types, &profile.ValueType{Type: name, Unit: unit})
	}
	return types
}

// made returns a profile with a sample for each list of values, all at a function of another module.
func made(names []string, values ...[]int64) *profile.Profile {
	f := &profile.Function{ID: 1, Name: "example.com/other.F", SystemName: "example.com/other.F", Filename: "/other/f.go"}
	l := &profile.Location{ID: 1, Address: 0x1000, Line: []profile.Line{{Function: f, Line: 3}}}
	p := &profile.Profile{
		SampleType: types(names...), PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 1,
		Function: []*profile.Function{f}, Location: []*profile.Location{l},
	}
	for _, v := range values {
		p.Sample = append(p.Sample, &profile.Sample{Location: []*profile.Location{l}, Value: v,
			NumLabel: map[string][]int64{"bytes": {16}}})
	}
	return p
}

var heapTypes = []string{"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"}

func encode(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encodePlain(t testing.TB, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.WriteUncompressed(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func compress(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// own returns a profile of this process.
func own(t testing.TB, name string, debug int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := pprof.Lookup(name).WriteTo(&b, debug); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRefused proves that what is no heap profile gets one sentence that says what it is.
func TestRefused(t *testing.T) {
	heapprofile.Limit(t, 8<<20, 64<<20)
	plain, text := encodePlain(t, made(heapTypes, []int64{1, 16, 1, 16})), own(t, "allocs", 1)
	cpu := made([]string{"samples", "cpu"}, []int64{1, 10})
	unnamed := made(heapTypes, []int64{1, 16, 1, 16})
	unnamed.Location[0].Line, unnamed.Function = nil, nil
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"empty":                   {nil, "is empty: fetch /debug/pprof/allocs"},
		"blank":                   {[]byte("\n \n"), "is empty"},
		"compressed, empty":       {compress(t, nil), "is empty"},
		"truncated":               {encode(t, made(heapTypes, []int64{1, 16, 1, 16}))[:60], "is truncated: its compressed data ends early"},
		"header of gzip":          {[]byte{0x1f, 0x8b, 8}, "is truncated"},
		"damaged":                 {damaged(encode(t, made(heapTypes, []int64{1, 16, 1, 16}))), "is damaged"},
		"encoding truncated":      {plain[:len(plain)-3], "is truncated or damaged"},
		"text truncated":          {text[:len(text)/3], "is truncated: its end is missing"},
		"text damaged":            {[]byte("heap profile: 1: 2 [3: 4] @ heap/2\n1: x [2: 3] @ 0x1\n"), "is damaged"},
		"random":                  {[]byte("\xff\xfe\xfdnothing of this kind"), "is not a profile"},
		"program":                 {[]byte("\x7fELF\x02\x01\x01"), "is a program, not a heap profile"},
		"page":                    {[]byte("<html><title>/debug/pprof/</title>"), "is a page"},
		"trace":                   {[]byte("go 1.26 trace\x00\x00\x00"), "is an execution trace"},
		"stacks":                  {own(t, "goroutine", 2), "is a dump of goroutines"},
		"goroutines":              {own(t, "goroutine", 0), "is a goroutine profile"},
		"goroutines, text":        {own(t, "goroutine", 1), "is a goroutine profile"},
		"mutex, text":             {own(t, "mutex", 1), "is a mutex profile"},
		"mutex":                   {encode(t, made([]string{"contentions", "delay"}, []int64{1, 10})), "is a mutex or block profile"},
		"CPU":                     {encode(t, cpu), "is a CPU profile, not a heap profile: fetch /debug/pprof/allocs"},
		"threads":                 {encode(t, made([]string{"threadcreate"}, []int64{1})), "is a profile of threads"},
		"other":                   {encode(t, made([]string{"lines"}, []int64{1})), `is a profile of "lines"`},
		"objects alone":           {encode(t, made(heapTypes[:1], []int64{1})), "counts objects and not bytes"},
		"no samples":              {encode(t, made(heapTypes)), "has no samples"},
		"no names":                {encode(t, unnamed), "has no names of functions"},
		"two profiles":            {append(plain, plain...), "is not a valid profile: "},
		"a small file that grows": {compress(t, make([]byte, 8<<20+1)), "has more than"},
		"a million empty samples": {compress(t, bytes.Repeat([]byte{2<<3 | 2, 0}, 1<<20)), "MiB of memory"},
		"values and no types":     {encodePlain(t, &profile.Profile{Sample: []*profile.Sample{{Value: []int64{1}}}}), "is not a valid profile"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := heapprofile.Read(bytes.NewReader(test.data))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, %v; want %q", p, err, test.want)
			}
			if err != nil && strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("%q is more than a line", err)
			}
		})
	}
}

// damaged returns compressed data with a wrong checksum.
func damaged(data []byte) []byte {
	data = bytes.Clone(data)
	data[len(data)-6] ^= 0xff
	return data
}

// TestRead proves that the forms in which the runtime and pprof write a heap profile have the same figures.
func TestRead(t *testing.T) {
	p := made(heapTypes, []int64{10, 160, 3, 48}, []int64{1, 16, 0, 0})
	merged, err := profile.Merge([]*profile.Profile{p, p})
	if err != nil {
		t.Fatal(err)
	}
	renamed := made([]string{"memory:alloc_objects:count:space:bytes", "memory:alloc_space:bytes:space:bytes"},
		[]int64{10, 160}, []int64{1, 16})
	spaceOnly := made([]string{"alloc_space"}, []int64{160}, []int64{16})
	for name, test := range map[string]struct {
		data           []byte
		objects, bytes float64
	}{
		"compressed": {encode(t, p), 11, 176},
		"plain":      {encodePlain(t, p), 11, 176},
		"merged":     {encode(t, merged), 22, 352},
		"renamed":    {encode(t, renamed), 11, 176},
		"only bytes": {encode(t, spaceOnly), 11, 176},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := heapprofile.Read(bytes.NewReader(test.data))
			if err != nil {
				t.Fatal(err)
			}
			r := explain(t, p, heapprofile.Options{Config: userpkg.Config{Dir: module(t)}})
			if r.Objects != test.objects || r.Bytes != test.bytes {
				t.Errorf("%v objects, %v bytes", r.Objects, r.Bytes)
			}
			if len(r.Outside) != 1 || r.Outside[0].Package != "example.com/other" || r.Outside[0].Bytes != test.bytes {
				t.Errorf("outside: %v", r.Outside)
			}
		})
	}
	for _, debug := range []int{0, 1} {
		if _, err := heapprofile.Read(bytes.NewReader(own(t, "heap", debug))); err != nil {
			t.Errorf("debug=%d: %v", debug, err)
		}
	}
}

// module returns the folder of a module without packages.
func module(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/m\n\ngo 1.24\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMeasures proves that a profile is asked only for figures that it has.
func TestMeasures(t *testing.T) {
	labeled := made(heapTypes, []int64{10, 160, 3, 48}, []int64{1, 16, 0, 0})
	labeled.Sample[0].Label = map[string][]string{"endpoint": {"/find"}}
	negative := made(heapTypes, []int64{10, 160, -3, -48})
	huge := made(heapTypes, []int64{1, 1 << 60, 1, 1})
	find := []heapprofile.Label{{Key: "endpoint", Value: "/find"}}
	live, err := heapprofile.Read(bytes.NewReader(encode(t, made(heapTypes[2:], []int64{1, 16}))))
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		data    *profile.Profile
		options heapprofile.Options
		bytes   float64
		want    string // an error
	}{
		"allocated":            {labeled, heapprofile.Options{}, 176, ""},
		"in use":               {labeled, heapprofile.Options{InUse: true}, 48, ""},
		"by label":             {labeled, heapprofile.Options{Labels: find}, 160, ""},
		"no such label":        {negative, heapprofile.Options{Labels: find}, 0, "has no samples with endpoint=/find: it has no labels"},
		"no such value":        {labeled, heapprofile.Options{Labels: []heapprofile.Label{{Key: "endpoint", Value: "/"}}}, 0, `a value of endpoint is ["/find"]`},
		"per request":          {labeled, heapprofile.Options{Per: &heapprofile.Per{Unit: "requests", N: 16}}, 11, ""},
		"a delta":              {negative, heapprofile.Options{}, 160, ""},
		"a delta in use":       {negative, heapprofile.Options{InUse: true}, 0, "has negative counts, so it is the difference of two profiles"},
		"counts of no program": {huge, heapprofile.Options{}, 0, "has counts that no program reaches"},
		"only in use":          {made(heapTypes[2:], []int64{1, 16}), heapprofile.Options{}, 0, "add --inuse"},
		"a base in use": {labeled, heapprofile.Options{Base: live}, 0,
			"has a base that has only what is in use, not what was allocated"},
		"only allocated": {made(heapTypes[:2], []int64{1, 16}), heapprofile.Options{InUse: true}, 0, "leave out --inuse"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := heapprofile.Read(bytes.NewReader(encode(t, test.data)))
			if err != nil {
				t.Fatal(err)
			}
			test.options.Config.Dir = module(t)
			r, err := p.Explain(t.Context(), test.options)
			switch {
			case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("%v, want %q", err, test.want)
			case err == nil && r.Bytes != test.bytes:
				t.Errorf("%v bytes, want %v", r.Bytes, test.bytes)
			}
		})
	}
}

// TestOpen tests the sources of a profile, and what else may be there.
func TestOpen(t *testing.T) {
	data := encode(t, made(heapTypes, []int64{1, 16, 1, 16}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/debug/pprof/allocs":
			if r.URL.RawQuery != "" && r.URL.RawQuery != "seconds=1" {
				t.Errorf("asked with %s", r.URL.RawQuery)
			}
			w.Write(data)
		case "/debug/pprof/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, "<html>")
		case "/busy":
			http.Error(w, "Could not enable CPU profiling\nmore", http.StatusInternalServerError)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "allocs")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	password := strings.Replace(server.URL, "http://", "http://user:secret@", 1)
	for name, want := range map[string]string{
		file:                               "",
		"-":                                "",
		server.URL + "/debug/pprof/allocs": "",
		server.URL + "/debug/pprof/allocs?seconds=1": "",
		server.URL + "/debug/pprof/allocs?seconds=x": "seconds=x is no number of seconds",
		server.URL + "/debug/pprof/":                 "answered with a page, not with a profile",
		server.URL + "/busy":                         "answered 500 Internal Server Error: Could not enable CPU profiling",
		password + "/none":                           "http://user:xxxxx@",
		"http://127.0.0.1:1/":                        "connect",
		"http://user:secret@127.0.0.1:port/":         "the address of the profile cannot be read: invalid port",
		dir:                                          "is a folder",
		filepath.Join(dir, "none"):                   "no such file",
	} {
		p, err := heapprofile.Open(t.Context(), name, bytes.NewReader(data))
		switch {
		case want == "" && (err != nil || p == nil):
			t.Errorf("%s: %v", name, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)) && runtime.GOOS != "windows":
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%v shows a password", err)
		}
	}
}

// FuzzRead proves that any input is read, or refused with one line.
func FuzzRead(f *testing.F) {
	f.Add(encodePlain(f, made(heapTypes, []int64{1, 16, 1, 16})))
	f.Add(encode(f, made(heapTypes[:2], []int64{1, 16})))
	f.Add([]byte("heap profile: 1: 16 [1: 17] @ heap/2\n1: 16 [1: 16] @ 0x1001\n#\t0x1000\tmain.f+0x10\t/f.go:3\n\n" +
		"# runtime.MemStats\n"))
	f.Add([]byte("heap profile: 1: 16 [1: 16] @ heap/2\n"))
	f.Add(compress(f, []byte("goroutine profile: total 1\n")))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := heapprofile.Read(bytes.NewReader(data))
		switch {
		case err == nil && p == nil:
			t.Error("no profile and no error")
		case err != nil && strings.Contains(fmt.Sprintf("%q", err.Error()), `\n`):
			t.Errorf("%q is more than a line", err)
		}
	})
}
