package api

import (
	"io"
	"strings"
	"testing"

	"onthestack/internal/sandbox"
	"onthestack/runner/settings"
)

// TestReasonForWasm checks that EngineAuto means WebAssembly as soon as anybody but the users of this machine can reach
// the runner, unless rooms can be opened.
func TestReasonForWasm(t *testing.T) {
	const everySite = "--allow-origin lets every web site use it"
	for _, c := range []struct {
		flags string
		room  bool
		want  string
	}{
		{"--addr 0.0.0.0:8080", false, "other machines can reach 0.0.0.0:8080"},
		{"--addr :8080", false, "other machines can reach :8080"},
		{"--trust-proxy 127.0.0.1", false, "other machines can reach it through the proxy of --trust-proxy"},
		{"--allow-host class.example.org", false, "other machines can reach it by a name of --allow-host"},
		{"--allow-origin *", false, everySite},
		{"--addr 127.0.0.1:8080", false, ""},
		{"--addr 0.0.0.0:8080 --allow-host class.example.org --trust-proxy 127.0.0.1", true, ""},
		{"--addr 0.0.0.0:8080 --allow-origin *", true, everySite},
		{"--addr localhost:8080 --allow-origin https://class.example.org", false, ""},
	} {
		set, err := settings.Runner.Parse(strings.Fields(c.flags), noEnvironment, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		set.Room = c.room
		want := c.want
		if err := sandbox.Confinable(); err != nil && want == "" {
			want = "this machine cannot confine programs: " + err.Error()
		}
		if got := reasonForWasm(set); got != want {
			t.Errorf("%s, room %t: %q, want %q", c.flags, c.room, got, want)
		}
	}
}
