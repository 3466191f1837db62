package lsp

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
)

// sampled returns a heap profile of label, taken three days ago, in which the line that appends has so many objects of
// 64 bytes. If commit is not "", the samples have it as a label.
func sampled(t *testing.T, objects int64, commit string) string {
	t.Helper()
	labels := &profile.Function{ID: 1, Name: "example.com/label.Labels", SystemName: "example.com/label.Labels",
		Filename: "/src/label/label.go", StartLine: 5}
	at := &profile.Location{ID: 1, Address: 0x1000, Line: []profile.Line{{Function: labels, Line: 8}}}
	sample := &profile.Sample{Location: []*profile.Location{at}, Value: []int64{objects, 64 * objects, 0, 0},
		NumLabel: map[string][]int64{"bytes": {64}}}
	if commit != "" {
		sample.Label = map[string][]string{"service_git_ref": {commit}}
	}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"},
			{Type: "inuse_objects", Unit: "count"}, {Type: "inuse_space", Unit: "bytes"}},
		PeriodType: &profile.ValueType{Type: "space", Unit: "bytes"}, Period: 512 << 10,
		TimeNanos: time.Now().Add(-3*24*time.Hour - time.Hour).UnixNano(),
		Sample:    []*profile.Sample{sample}, Location: []*profile.Location{at}, Function: []*profile.Function{labels},
	}
	var text bytes.Buffer
	if err := p.Write(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// follow makes a server look at the profile at short intervals, for the rest of the test.
func follow(t *testing.T) {
	old := lookInterval
	lookInterval = 10 * time.Millisecond
	t.Cleanup(func() { lookInterval = old })
}

// until waits for a condition that the server makes true.
func (c *client) until(what string, done func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			c.t.Fatalf("%s: the server shows nothing; messages %q, progress %s", what, c.messages, c.seen())
		}
	}
}

// told reports whether a message to the user has a part.
func (c *client) told(part string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.ContainsFunc(c.messages, func(m string) bool { return strings.Contains(m, part) })
}

// TestProfile shows the figures of a heap profile that is written after the editor has started, follows its line in the
// text, and takes the figures away with the profile.
func TestProfile(t *testing.T) {
	follow(t)
	c := connect(t, object{"profile": "allocs.pb.gz", "per": "requests=500000"})
	c.open("label.go")
	const fault = "The heap profile cannot be shown: "
	c.until("no profile", func() bool { return c.told(fault + "allocs.pb.gz: there is no such file") })
	c.want("no profile", c.hints("label.go"))

	c.write("allocs.pb.gz", sampled(t, 10_000_000, ""))
	c.until("a profile", func() bool { return len(c.hints("label.go")) > 0 })
	const hint = "in production, 3 days ago: 20 allocs/request ± 6 %, 1280 B ± 6 %"
	c.want("a profile", c.hints("label.go"), "8: "+hint)
	page, err := os.ReadFile(filepath.FromSlash("../../../book/in-your-editor/README.md"))
	if err != nil || !strings.Contains(string(page), hint) {
		t.Errorf("%q is not on the book's page, %v", hint, err)
	}
	hover := c.hover("label.go", 8)
	for _, part := range []string{"allocs/request ± 6 %, 1280 B ± 6 %** in production, 3 days ago: ", "[label.go:8](" +
		c.uri("label.go") + "#L8)", "BenchmarkLabels may run this line", "From a heap profile of "} {
		if !strings.Contains(hover, part) {
			t.Errorf("%q is not in the hover:\n%s", part, hover)
		}
	}

	c.edit("label.go", &span{position{}, position{}}, "// Package label writes labels.\n")
	c.want("a line above", c.hints("label.go"), "9: "+hint)
	if hover := c.hover("label.go", 9); !strings.Contains(hover, "[label.go:9]") {
		t.Errorf("hover: %s", hover)
	}
	c.edit("label.go", &span{position{8, 2}, position{8, 2}}, "all = all[:len(all):len(all)]; ")
	c.want("the line has changed", c.hints("label.go"))
	c.edit("label.go", nil, strings.ReplaceAll(label["label.go"], "\n", "\r\n"))
	c.want("other ends of lines", c.hints("label.go"), "8: "+hint)
	c.edit("label.go", nil, label["label.go"])

	c.tell("workspace/didChangeConfiguration", object{"settings": object{"checkalloc": object{"per": ""}}})
	const total = "8: in production, 3 days ago: 100 % of the bytes, 10000000 allocs ± 6 %, 640 MB ± 6 %"
	c.until("without a unit", func() bool { return slices.Equal(c.hints("label.go"), []string{total}) })
	if err := c.execute(t.Context(), commandProfile, ""); err != nil {
		t.Error(err)
	}
	c.write("allocs.pb.gz", sampled(t, 20_000, "")) // hardly a sample
	c.until("few samples", func() bool { return strings.Contains(c.seen(), "example.com/label: 0 lines") })
	c.want("few samples", c.hints("label.go"))
	c.write("allocs.pb.gz", "goroutine profile: total 3\n")
	c.until("another profile", func() bool { return c.told(fault + "allocs.pb.gz is a goroutine profile") })

	c.tell("workspace/didChangeConfiguration", object{"settings": object{"checkalloc": object{"profile": ""}}})
	if err := c.execute(t.Context(), commandProfile, ""); err == nil || !strings.Contains(err.Error(), "option profile") {
		t.Errorf("without a profile: %v", err)
	}
}

// TestProfileRevision shows figures where their lines are now, if the profile is of an older commit. A line that was
// changed since has none.
func TestProfileRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: this test makes a repository, and git is not on PATH")
	}
	follow(t)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	c := connect(t, nil)
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-C", c.dir, "-c", "user.name=a", "-c", "user.email=a@example.com"},
			args...)...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	commit := git("rev-parse", "HEAD")
	now := strings.Replace(label["label.go"], "var all []string", "all := []string{}\n\tnone := 0\n\t_ = none", 1)
	c.write("label.go", now)
	c.write("svc/allocs", sampled(t, 10_000_000, commit))
	c.openWith("label.go", now)
	c.tell("workspace/didChangeConfiguration", object{"settings": object{"checkalloc": object{"profile": "svc/allocs"}}})
	c.until("another commit", func() bool { return len(c.hints("label.go")) > 0 })
	c.want("another commit", c.hints("label.go"),
		"10: in production, 3 days ago: 100 % of the bytes, 10000000 allocs ± 6 %, 640 MB ± 6 %")
	if hover := c.hover("label.go", 10); !strings.Contains(hover, "with the sources of "+commit[:7]) {
		t.Errorf("hover: %s", hover)
	}
	if !c.told("allocs: The sources are from " + commit) {
		t.Errorf("messages: %q", c.messages)
	}
	c.edit("label.go", nil, strings.Replace(now, `" #"`, `" no. "`, 1))
	c.want("the line has changed", c.hints("label.go"))
}

// TestProfileUncompiled shows the figures of a package that does not compile, without reasons.
func TestProfileUncompiled(t *testing.T) {
	follow(t)
	c := connect(t, nil)
	c.open("label.go")
	c.write("broken.go", "package label\n\nvar broken = undefined\n")
	c.write("allocs", sampled(t, 10_000_000, ""))
	c.tell("workspace/didChangeConfiguration", object{"settings": object{"checkalloc": object{"profile": "allocs"}}})
	c.until("a package that does not compile", func() bool { return len(c.hints("label.go")) > 0 })
	c.want("a package that does not compile", c.hints("label.go"),
		"8: in production, 3 days ago: 100 % of the bytes, 10000000 allocs ± 6 %, 640 MB ± 6 %")
	if !c.told("example.com/label cannot be compiled here") {
		t.Errorf("messages: %q", c.messages)
	}
}

// TestProfileFiles finds the files that settings name, and the module of the program.
func TestProfileFiles(t *testing.T) {
	one, two := t.TempDir(), t.TempDir()
	for _, name := range []string{"svc/cmd/allocs", "svc/go.mod", "allocs"} {
		name = filepath.Join(two, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	nested := filepath.Join(two, "svc", "cmd", "allocs")
	elsewhere := filepath.Join(t.TempDir(), "allocs")
	for _, test := range []struct{ profile, wantProfile, wantRoot, wantDir string }{
		{"allocs", filepath.Join(two, "allocs"), two, two},
		{"svc/cmd/allocs", nested, two, filepath.Join(two, "svc")},
		{nested, nested, two, filepath.Join(two, "svc")},
		{"gone", filepath.Join(one, "gone"), one, one},
		{elsewhere, elsewhere, one, one},
	} {
		var o settings
		o.Profile, o.Binary = test.profile, "service"
		f := newProfileFiles([]string{one, two}, o)
		if f.Profile != test.wantProfile || f.root != test.wantRoot || f.config.Dir != test.wantDir ||
			f.Binary != filepath.Join(test.wantRoot, "service") {
			t.Errorf("%s: %+v", test.profile, f)
		}
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "just now", 59 * time.Second: "just now", time.Minute: "1 minute ago", 59 * time.Minute: "59 minutes ago",
		time.Hour: "1 hour ago", 47 * time.Hour: "47 hours ago", 48 * time.Hour: "2 days ago", 900 * time.Hour: "37 days ago",
	} {
		if got := age(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}
