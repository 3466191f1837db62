package settings

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"onthestack/runner/store"
)

// show returns the settings that Parse has read and that differ from the defaults.
func show(c, d Settings) string {
	var b strings.Builder
	field := func(name string, got, standard any) {
		if g, s := fmt.Sprint(got), fmt.Sprint(standard); g != s {
			fmt.Fprintf(&b, " %s=%s", name, g)
		}
	}
	field("addr", c.Addr, d.Addr)
	field("site", c.Site, d.Site)
	field("proxies", c.Proxies, d.Proxies)
	field("origins", c.Origins.String(), d.Origins.String())
	field("hosts", c.Hosts.String(), d.Hosts.String())
	field("engine", c.Engine, d.Engine)
	field("concurrency", c.Concurrency, d.Concurrency)
	field("queue", c.Queue, d.Queue)
	field("cache", c.Cache, d.Cache)
	field("modules", c.Modules, d.Modules)
	field("releases", c.Releases, d.Releases)
	field("data", c.Data, d.Data)
	field("snippets", c.Snippets, d.Snippets)
	field("keep", c.Keep, d.Keep)
	field("metricsAddr", c.MetricsAddr, d.MetricsAddr)
	field("log", c.Log, d.Log)
	field("requestTime", c.RequestTime, d.RequestTime)
	field("buildTime", c.BuildTime, d.BuildTime)
	field("room", c.Room, d.Room)
	field("state", c.State, d.State)
	field("title", c.Title, d.Title)
	field("nats", c.NATS, d.NATS)
	field("creds", c.Creds, d.Creds)
	field("run", c.Program.Time, d.Program.Time)
	field("check", c.Check.Time, d.Check.Time)
	field("stopTime", c.StopTime, d.StopTime)
	return strings.TrimSpace(b.String())
}

func noEnvironment(string) (string, bool) { return "", false }

func TestFlags(t *testing.T) {
	standard, err := Runner.Parse(nil, noEnvironment, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	cacheDir, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(cacheDir, "onthestack", "runner")
	if standard.Addr != "127.0.0.1:8080" || standard.Site != "public" || standard.Engine != EngineAuto ||
		standard.Concurrency < 1 || standard.Queue != queuePerSlot*standard.Concurrency ||
		standard.Cache != 64<<20 || !standard.Modules || standard.Data != data ||
		standard.Snippets != filepath.Join(data, "snippets.db") ||
		standard.Keep != (store.Limits{Count: 100_000, Bytes: 256 << 20, ClientCount: 1000, ClientBytes: 16 << 20,
			ClientRate: 60}) || standard.RequestTime != 25*time.Second || standard.BuildTime != 10*time.Second ||
		standard.Program.Time != 5*time.Second || standard.Check.Time != 20*time.Second ||
		standard.StopTime != 30*time.Second || standard.MetricsAddr != "" ||
		standard.Proxies != nil ||
		standard.Origins.String() != "" || standard.Hosts.IsSet() {
		t.Errorf("by default: %+v", standard)
	}
	for _, c := range []struct {
		args, env string
		want, err string
	}{
		{"-addr :9000 --site b -concurrency=3", "", "addr=:9000 site=b concurrency=3 queue=96", ""},
		{"--addr=[::1]:9000 --concurrency 1 --queue 0", "", "addr=[::1]:9000 concurrency=1 queue=0", ""},
		{"--engine confined", "", "engine=confined", ""},
		{"", "ENGINE=wasm", "engine=wasm", ""},
		{"--engine native", "", "", "--engine native: give auto, confined or wasm"},
		{"--cache 0 --modules off --log json", "", "cache=0 modules=false log=json", ""},
		{"--cache 3KiB --snippets-bytes 2GiB --snippets-max 5", "",
			"cache=3072 keep={5 2147483648 1000 16777216 60 0s}", ""},
		{"--releases 1.27,go1.28.3,1.27", "", "releases=[go1.27 go1.28.3]", ""},
		{"--releases 1.27", "RELEASES=1.28", "releases=[go1.27]", ""},
		{"", "RELEASES=1.28", "releases=[go1.28]", ""},
		{"--releases=", "RELEASES=1.28", "", ""},
		{"--releases newest", "", "", "--releases newest: give releases such as 1.27 or 1.27.4, separated by commas"},
		{"--releases 1.27,", "", "", "--releases 1.27,: give releases such as 1.27 or 1.27.4, separated by commas"},
		{"--releases 1.1,1.2,1.3,1.4,1.5", "", "", "--releases 1.1,1.2,1.3,1.4,1.5: give at most 4 releases"},
		{"--data /d", "", "data=/d snippets=/d/snippets.db state=/d/rooms", ""},
		{"--room on --state s --room-title Monday", "", "room=true state=s title=Monday", ""},
		{"--room on --nats nats://a:1,tls://b --nats-credentials c", "ROOM_TITLE=x",
			"room=true title=x nats=nats://a:1,tls://b creds=c", ""},
		{"--snippets off", "", "snippets=", ""},
		{"--snippets s.db", "", "snippets=s.db", ""},
		{"--snippets-client-max 3 --snippets-client-bytes 5KiB --snippets-client-rate 7 --snippets-evict 720h", "",
			"keep={100000 268435456 3 5120 7 720h0m0s}", ""},
		{"--snippets-evict 0", "", "", ""},
		{"--build-time 20s --run-time 2s", "", "buildTime=20s run=2s check=8s", ""},
		{"--run-time 1s", "", "requestTime=15s run=1s check=4s", ""},
		{"--request-time 40s", "", "requestTime=40s", ""},
		{"--request-time 0s", "", "", "--request-time 0s: give at least 1s"},
		{"--stop-time 2m", "", "stopTime=2m0s", ""},
		{"", "STOP_TIME=1s", "stopTime=1s", ""},
		{"--stop-time 500ms", "", "", "--stop-time 500ms: give at least 1s"},
		{"--trust-proxy 127.0.0.1,10.1.2.3/8 --metrics-addr :9090", "",
			"proxies=[127.0.0.1/32 10.0.0.0/8] metricsAddr=:9090",
			""},
		{"--allow-origin https://a:443,http://b:3000 --allow-host A", "", "origins=https://a,http://b:3000 hosts=a",
			""},
		{"", "ALLOW_ORIGIN=* ALLOW_HOST=*", "origins=* hosts=*", ""},

		{"", "ADDR=:9000 CONCURRENCY=3 LOG=json", "addr=:9000 concurrency=3 queue=96 log=json", ""},
		{"", "METRICS_ADDR=:9090 TRUST_PROXY=::1 SNIPPETS_MAX=7",
			"proxies=[::1/128] keep={7 268435456 1000 16777216 60 0s} metricsAddr=:9090", ""},
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
		{"--cache 99999999999GiB", "", "", "--cache 99999999999GiB: give a size with its unit, such as 64MiB or " +
			"500KiB"},
		{"--snippets-bytes 0", "", "", "--snippets-bytes 0: give at least 1KiB, or --snippets off"},
		{"--snippets-client-max 0", "", "", "--snippets-client-max 0: give at least 1, or --snippets off"},
		{"--snippets-client-max x", "", "", "--snippets-client-max x: give a number"},
		{"--snippets-client-bytes 0", "", "", "--snippets-client-bytes 0: give at least 1KiB, or --snippets off"},
		{"--snippets-client-rate 0", "", "", "--snippets-client-rate 0: give at least 1, or --snippets off"},
		{"--snippets-evict 1h", "", "", "--snippets-evict 1h0m0s: give at least 24h0m0s, or 0 to keep all"},
		{"--snippets-evict 30d", "", "", "--snippets-evict 30d: give a time, such as 10s or 500ms"},
		{"--modules yes", "", "", "--modules yes: give on or off"},
		{"--log xml", "", "", "--log xml: give auto, text or json"},
		{"--addr 9000", "", "", "--addr 9000: give host:port, such as 127.0.0.1:8080"},
		{"--metrics-addr 9000", "", "", "--metrics-addr 9000: give host:port, such as 127.0.0.1:9090"},
		{"--trust-proxy lan", "", "", `--trust-proxy lan: "lan" is not a network: give addresses or networks, such ` +
			`as 127.0.0.1 or 10.0.0.0/8`},
		{"--allow-origin class.example.org", "", "", `--allow-origin class.example.org: "class.example.org" has no ` +
			`scheme: give a scheme and a host, such as https://class.example.org or http://localhost:3000`},
		{"--allow-host a:1", "", "", `--allow-host a:1: "a:1" is not a host name: give names without scheme, port ` +
			`and path, such as class.example.org`},
		{"--adr x", "", "", "unknown flag: --adr"},
		{"--room yes", "", "", "--room yes: give on or off"},
		{"--room on --room-title " + strings.Repeat("x", 101), "", "",
			"--room-title " + strings.Repeat("x", 101) + ": give at most 100 characters"},
		{"--nats nats://a:4222", "", "", "--nats requires --room on"},
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
		got, err := Runner.Parse(strings.Fields(c.args), lookup, io.Discard)
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

// TestWorkerFlags tests the flags of a worker, and that no error shows what an address of the cluster has of a secret.
func TestWorkerFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--nats nats://secret@a:4222,tls://b --concurrency 3": "",
		"": "a worker takes its work from a NATS cluster: name it with --nats, " +
			"such as --nats nats://host:4222",
		"--nats a:secret --concurrency 3": "--nats: give addresses such as nats://host:4222, separated by commas, " +
			"or tls:// for an encrypted connection",
		"--addr :8080": "unknown flag: --addr",
	} {
		set, err := RunnerWorker.Parse(strings.Fields(args), noEnvironment, io.Discard)
		switch {
		case want == "" && (err != nil || set.Concurrency != 3 || !strings.Contains(set.NATS, "secret")):
			t.Errorf("%q: %v, %+v", args, err, set)
		case want != "" && (err == nil || err.Error() != want):
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
}

func TestLoopback(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "localhost:80": true, ":80": false, "0.0.0.0:80": false,
		"192.168.1.2:80": false, "example.com:80": false,
	} {
		if (Settings{Addr: addr}).Loopback() != want {
			t.Errorf("%q is loopback: %v", addr, !want)
		}
	}
}
