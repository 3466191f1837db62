package api

import (
	"fmt"
	"strings"
	"testing"
)

// endless returns a solution whose first function never returns.
func endless(text string, n int) string {
	return strings.Replace(text, ") {\n", ") {\n\tfor len(data) >= 0 {\n\t}\n", 1) + fmt.Sprintf("\n// %d\n", n)
}

// TestGradingFair has one participant hand in as many endless loops as they may. Another one's solution is graded while
// most of them still wait.
func TestGradingFair(t *testing.T) {
	state := t.TempDir()
	r := startProcess(t, "--addr", "127.0.0.1:0", "--room", "on", "--state", state, "--run-time", "1s",
		"--concurrency", "2")
	defer func() {
		r.Process.Kill()
		r.Wait()
	}()
	c := &classroom{t: t, at: r.at}
	c.begin(state)
	e := sealedExercises().Lookup("exercise6")
	hand := func(token, key string, change func(string) string) (id string) {
		t.Helper()
		texts := map[string]string{}
		for name, text := range e.Solution {
			texts[name] = change(string(text))
		}
		var submitted struct{ ID string }
		body := map[string]any{"exercise": "exercise6", "files": texts}
		if err := c.ask("POST", "/"+c.code+"/submissions", token, key, body, &submitted); err != nil {
			t.Fatal(err)
		}
		return submitted.ID
	}
	stateOf := func(token, id string) string {
		t.Helper()
		var s struct{ State string }
		if err := c.ask("GET", "/"+c.code+"/submissions/"+id, token, "", nil, &s); err != nil {
			t.Fatal(err)
		}
		return s.State
	}
	var mallory, ada struct{ Token string }
	for name, joined := range map[string]*struct{ Token string }{"Mallory": &mallory, "Ada": &ada} {
		if err := c.ask("POST", "/"+c.code+"/join", "", "", map[string]string{"name": name}, joined); err != nil {
			t.Fatal(err)
		}
	}
	var loops []string
	for i := range 5 {
		loops = append(loops, hand(mallory.Token, fmt.Sprint(i), func(text string) string { return endless(text, i) }))
	}
	id := hand(ada.Token, "ada", func(text string) string { return text })
	waitFor(t, "Ada's grade", func() bool { return stateOf(ada.Token, id) == "graded" })
	waiting := 0
	for _, loop := range loops {
		if stateOf(mallory.Token, loop) == "queued" {
			waiting++
		}
	}
	if waiting < 3 {
		t.Errorf("%d of %d endless loops still wait when the other solution is graded", waiting, len(loops))
	}
}
