package lsp

import (
	"slices"
	"strings"
	"testing"
)

// TestConfiguration changes the settings of a server that runs. Figures that were measured with others are stale, until
// they are measured again.
func TestConfiguration(t *testing.T) {
	c := connect(t, nil)
	c.open("label.go")
	c.open("label_test.go")
	configure := func(settings any) {
		t.Helper()
		if err := c.Notify(t.Context(), "workspace/didChangeConfiguration", object{"settings": settings}); err != nil {
			t.Fatal(err)
		}
	}
	measure := func() {
		t.Helper()
		if err := c.execute(t.Context(), commandMeasure, ""); err != nil {
			t.Fatal(err)
		}
	}
	measure()
	const hint = "8: 106 allocs/op · 6816 B"
	for _, same := range []any{nil, []string{}, object{}, object{"gopls": object{"bench": "X"}},
		object{"checkalloc": object{"measureOnSave": true}}} {
		configure(same)
		c.want("nothing has changed", c.hints("label.go"), hint)
	}
	configure(object{"checkalloc": object{"bench": "("}})
	c.want("a wrong setting", c.hints("label.go"), hint)
	c.mu.Lock()
	told := slices.ContainsFunc(c.messages, func(m string) bool { return strings.Contains(m, "the setting bench") })
	c.mu.Unlock()
	if !told {
		t.Errorf("messages: %q", c.messages)
	}
	configure(object{"checkalloc": object{"benchtime": "100x"}})
	c.want("another time", c.hints("label.go"), hint+" (stale)")
	c.want("another time", c.lenses("label_test.go"),
		"106 allocs/op, 6816 B/op (stale: the settings have changed) · measure", "suggest")
	measure()
	if got := c.hints("label.go"); len(got) != 1 || strings.Contains(got[0], "stale") {
		t.Errorf("measured again: %q", got)
	}
	configure(object{"checkalloc": object{"measureOnSave": true}})
	if got := c.hints("label.go"); len(got) != 1 || strings.Contains(got[0], "stale") {
		t.Errorf("settings that are not named: %q", got)
	}
	configure(object{"checkalloc": object{"bench": "None"}})
	measure()
	c.want("no benchmark", c.hints("label.go"))
}
