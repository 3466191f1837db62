package exercise

import (
	"encoding/json"
	"testing"
)

// TestSummary proves what a summary tells about an exercise that is not solved yet: it has neither hints nor the
// solution.
func TestSummary(t *testing.T) {
	bytes := 64.0
	e := &Exercise{
		ID: "exercise6",
		Manifest: Manifest{
			Title: "A title", Teaches: "That it sorts.", Techniques: []string{"size"}, Level: "easy",
			Chapter: "sorting", Article: "a.txt", Edit: []string{"a.go"}, Imports: []string{"sort"},
			Benchmarks: []Benchmark{{"BenchmarkA", 1, &bytes, nil, nil, nil},
				{"BenchmarkB", 0, nil, &bytes, nil, []string{"BenchmarkBConfirm"}}},
			Hints: []Hint{{"secret"}, {"secret"}, {"secret"}},
		},
		Files: map[string][]byte{"a.go": []byte("secret")}, Solution: map[string][]byte{"a.go": []byte("secret")},
		Figures: &Figures{Go: "go1.26.8", Starter: []Figure{{"BenchmarkA", 2.5, 112, nil}},
			Solution: []Figure{{"BenchmarkA", 1, 16, &bytes}}},
	}
	got, err := json.Marshal(e.Summary())
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"exercise":"exercise6","title":"A title","teaches":"That it sorts.","techniques":["size"],` +
		`"level":"easy","chapter":"sorting","article":"a.txt",` +
		`"edit":["a.go"],"imports":["sort"],"benchmarks":[{"name":"BenchmarkA","target_allocs":1,"target_bytes":64},` +
		`{"name":"BenchmarkB","target_allocs":0,"target_live_bytes":64}],"hints":3,` +
		`"figures":{"go":"go1.26.8","starter":[{"name":"BenchmarkA","allocs_per_op":2.5,"bytes_per_op":112}],` +
		`"solution":[{"name":"BenchmarkA","allocs_per_op":1,"bytes_per_op":16,"live_bytes_per_op":64}]}}`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
