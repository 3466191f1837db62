package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// show writes what parse makes of its arguments, "" for what is as by default.
func show(c, d config) string {
	var b strings.Builder
	field := func(name string, got, standard any) {
		if g, s := fmt.Sprint(got), fmt.Sprint(standard); g != s {
			fmt.Fprintf(&b, " %s=%s", name, g)
		}
	}
	field("addr", c.addr, d.addr)
	field("book", c.book, d.book)
	field("proxies", c.proxies, d.proxies)
	field("concurrency", c.concurrency, d.concurrency)
	field("queue", c.queue, d.queue)
	field("cache", int64(c.cache), int64(d.cache))
	field("modules", c.modules, d.modules)
	field("data", c.data, d.data)
	field("snippets", c.snippets, d.snippets)
	field("snippetsMax", c.snippetsMax, d.snippetsMax)
	field("snippetsBytes", int64(c.snippetsBytes), int64(d.snippetsBytes))
	field("metricsAddr", c.metricsAddr, d.metricsAddr)
	field("logJSON", c.logJSON, d.logJSON)
	field("buildTime", c.buildTime, d.buildTime)
	field("run", c.program.Time, d.program.Time)
	field("check", c.check.Time, d.check.Time)
	return strings.TrimSpace(b.String())
}

func TestFlags(t *testing.T) {
	standard, err := parse(nil, noEnvironment, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	cacheDir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(cacheDir, "onthestack", "runner")
	if standard.addr != "127.0.0.1:8080" || standard.book != "public/book" || standard.concurrency < 1 || standard.queue != queuePerWorker*standard.concurrency ||
		standard.cache != 64<<20 || !standard.modules || standard.data != data || standard.snippets != filepath.Join(data, "snippets.db") ||
		standard.snippetsMax != 100_000 || standard.snippetsBytes != 256<<20 || standard.buildTime != 10*time.Second ||
		standard.program.Time != 5*time.Second || standard.check.Time != 20*time.Second || standard.metricsAddr != "" || standard.proxies != nil {
		t.Errorf("by default: %+v", standard)
	}
	for _, c := range []struct {
		args, env string
		want, err string
	}{
		{"-addr :9000 -book b -concurrency=3", "", "addr=:9000 book=b concurrency=3 queue=96", ""},
		{"--addr=[::1]:9000 --concurrency 1 --queue 0", "", "addr=[::1]:9000 concurrency=1 queue=0", ""},
		{"--cache 0 --modules off --log json", "", "cache=0 modules=false logJSON=true", ""},
		{"--cache 3KiB --snippets-bytes 2GiB --snippets-max 5", "", "cache=3072 snippetsMax=5 snippetsBytes=2147483648", ""},
		{"--data /d", "", "data=/d snippets=/d/snippets.db", ""},
		{"--snippets off", "", "snippets=", ""},
		{"--snippets s.db", "", "snippets=s.db", ""},
		{"--build-time 20s --run-time 2s", "", "buildTime=20s run=2s check=8s", ""},
		{"--trust-proxy 127.0.0.1,10.1.2.3/8 --metrics-addr :9090", "", "proxies=[127.0.0.1/32 10.0.0.0/8] metricsAddr=:9090", ""},

		{"", "ADDR=:9000 CONCURRENCY=3 LOG=json", "addr=:9000 concurrency=3 queue=96 logJSON=true", ""},
		{"", "METRICS_ADDR=:9090 TRUST_PROXY=::1 SNIPPETS_MAX=7", "proxies=[::1/128] snippetsMax=7 metricsAddr=:9090", ""},
		{"--queue 5", "QUEUE=6", "queue=5", ""},
		{"", "QUEUE=6", "queue=6", ""},
		{"", "QUEUE= CACHE=", "", ""},
		{"--queue 5", "QUEUE=x", "queue=5", ""},

		{"--concurrency 0", "", "", "--concurrency 0: give at least 1"},
		{"--queue -1", "", "", "--queue -1: give at least 0"},
		{"--queue x", "", "", "--queue x: give a number"},
		{"--run-time 5", "", "", "--run-time 5: give a time, such as 10s or 500ms"},
		{"--run-time 0s", "", "", "--run-time 0s: give at least 100ms"},
		{"--cache 64", "", "", "--cache 64: give a size with its unit, such as 64MiB or 500KiB"},
		{"--cache -1MiB", "", "", "--cache -1MiB: give a size with its unit, such as 64MiB or 500KiB"},
		{"--cache 99999999999GiB", "", "", "--cache 99999999999GiB: give a size with its unit, such as 64MiB or 500KiB"},
		{"--snippets-bytes 0", "", "", "--snippets-bytes 0: give at least 1KiB, or --snippets off"},
		{"--modules yes", "", "", "--modules yes: give on or off"},
		{"--log xml", "", "", "--log xml: give json or text"},
		{"--addr 9000", "", "", "--addr 9000: give host:port, such as 127.0.0.1:8080"},
		{"--metrics-addr 9000", "", "", "--metrics-addr 9000: give host:port, such as 127.0.0.1:9090"},
		{"--trust-proxy lan", "", "", `--trust-proxy lan: "lan" is no network: give addresses or networks, such as 127.0.0.1 or 10.0.0.0/8`},
		{"--adr x", "", "", "unknown flag: --adr"},
		{"now", "", "", `unexpected argument "now"`},

		{"", "CONCURRENCY=0", "", "RUNNER_CONCURRENCY=0 in the environment: give at least 1"},
		{"", "QUEUE=x", "", "RUNNER_QUEUE=x in the environment: give a number"},
		{"", "BUILD_TIME=10", "", "RUNNER_BUILD_TIME=10 in the environment: give a time, such as 10s or 500ms"},
		{"", "CACHE=64", "", "RUNNER_CACHE=64 in the environment: give a size with its unit, such as 64MiB or 500KiB"},
		{"", "MODULES=1", "", "RUNNER_MODULES=1 in the environment: give on or off"},
		{"", "ADDR=9000", "", "RUNNER_ADDR=9000 in the environment: give host:port, such as 127.0.0.1:8080"},
	} {
		env := map[string]string{}
		for _, variable := range strings.Fields(c.env) {
			name, value, _ := strings.Cut(variable, "=")
			env["RUNNER_"+name] = value
		}
		lookup := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
		got, err := parse(strings.Fields(c.args), lookup, io.Discard)
		switch {
		case c.err != "" && (err == nil || err.Error() != c.err):
			t.Errorf("%q with %q: error %v, want %s", c.args, c.env, err, c.err)
		case c.err == "" && err != nil:
			t.Errorf("%q with %q: %v", c.args, c.env, err)
		case c.err == "" && show(got, standard) != c.want:
			t.Errorf("%q with %q: %s, want %s", c.args, c.env, show(got, standard), c.want)
		}
	}
}

// TestHelp compares with testdata/help.txt; -update rewrites it.
func TestHelp(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"-h"}, nil, &out, &errs); code != exitOK || errs.Len() > 0 {
		t.Errorf("exit code %d, %s", code, &errs)
	}
	golden := filepath.Join("testdata", "help.txt")
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the help is\n%s\nwant\n%s", &out, want)
	}
	for line := range strings.Lines(out.String()) {
		if len(line) > 120 {
			t.Errorf("%d bytes are too many for a line: %s", len(line), line)
		}
	}
	errs.Reset()
	if code := run([]string{"--no"}, nil, io.Discard, &errs); code != exitUsage || errs.String() != "runner: unknown flag: --no\nTry \"runner --help\".\n" {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

// TestHelpHasEveryFlag holds that a flag that is parsed is shown, and the other way round.
func TestHelpHasEveryFlag(t *testing.T) {
	shown := map[string]bool{}
	for _, group := range settings {
		for _, s := range group.flags {
			shown[s.name] = true
		}
	}
	new(config).flags().VisitAll(func(f *pflag.Flag) {
		if !shown[f.Name] {
			t.Errorf("the help lacks --%s", f.Name)
		}
		delete(shown, f.Name)
	})
	if len(shown) > 0 {
		t.Errorf("the help has %v, which are no flags", shown)
	}
}

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "localhost:80": true, ":80": false, "0.0.0.0:80": false, "192.168.1.2:80": false, "example.com:80": false,
	} {
		if loopback(addr) != want {
			t.Errorf("loopback(%q) is %v", addr, !want)
		}
	}
}

// TestFlagsInTheBook holds the book's table to the flags that there are.
func TestFlagsInTheBook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "book", "running-a-classroom", "deploying.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "| `--") {
			rows++
		}
	}
	count := 0
	for _, group := range settings {
		for _, s := range group.flags {
			count++
			row := fmt.Sprintf("| `--%s` | `%s` | ", s.name, twin(s.name))
			if !strings.Contains(string(text), row) {
				t.Errorf("the table has no row that begins with %s", row)
			}
		}
	}
	if rows != count {
		t.Errorf("the table has %d rows, and there are %d flags", rows, count)
	}
}
