package command

import (
	"bytes"
	"strings"
	"testing"

	"onthestack/runner/settings"
)

// TestLog logs a request and a problem in each format, to a terminal and elsewhere.
func TestLog(t *testing.T) {
	for _, c := range []struct {
		format     string
		onTerminal bool
		lines      int
		begin      string
	}{
		{settings.LogAuto, true, 1, "time="},
		{settings.LogAuto, false, 2, "time="},
		{settings.LogText, true, 2, "time="},
		{settings.LogJSON, true, 2, "{"},
		{settings.LogJSON, false, 2, "{"},
	} {
		var out bytes.Buffer
		log := newLog(settings.Settings{Log: c.format}, &out, c.onTerminal)
		log.Info("request", "path", "/")
		log.Error("request failed", "path", "/")
		if lines := strings.Count(out.String(), "\n"); lines != c.lines || !strings.HasPrefix(out.String(), c.begin) ||
			!strings.Contains(out.String(), "request failed") {
			t.Errorf("%s, terminal: %v: %d lines:\n%s", c.format, c.onTerminal, lines, &out)
		}
	}
}
