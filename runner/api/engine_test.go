package api

import (
	"io"
	"strings"
	"testing"

	"onthestack/internal/sandbox"
	"onthestack/runner/settings"
)

// TestReasonForWasm holds that EngineAuto means WebAssembly as soon as anybody but the users of this machine can reach
// the runner.
func TestReasonForWasm(t *testing.T) {
	for _, c := range []struct{ flags, want string }{
		{"--addr 0.0.0.0:8080", "other machines can reach 0.0.0.0:8080"},
		{"--addr :8080", "other machines can reach :8080"},
		{"--trust-proxy 127.0.0.1", "other machines can reach it through the proxy of --trust-proxy"},
		{"--allow-host class.example.org", "other machines can reach it by a name of --allow-host"},
		{"--allow-origin *", "--allow-origin lets every web site use it"},
		{"--addr 127.0.0.1:8080", ""},
		{"--addr localhost:8080 --allow-origin https://class.example.org", ""},
	} {
		set, err := settings.Parse(strings.Fields(c.flags), noEnvironment, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		want := c.want
		if err := sandbox.Confinable(); err != nil && want == "" {
			want = "this machine cannot confine programs: " + err.Error()
		}
		if got := reasonForWasm(set); got != want {
			t.Errorf("%s: %q, want %q", c.flags, got, want)
		}
	}
}
