package report

import (
	"bytes"
	"strings"
	"testing"

	"onthestack/internal/owncode/heapprofile"
)

func writeProfileSARIF(t *testing.T, r *heapprofile.Report, top int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ProfileSARIF(&b, r, top, SARIFOptions{Version: "1.2.3",
		Others: map[string]string{"example.com/svc": "services/svc", "example.com/svc/store": "services/svc/store"},
	}); err != nil {
		t.Fatal(err)
	}
	checkSARIF(t, readSARIF(t, b.Bytes()), b.Bytes())
	return b.Bytes()
}

// TestProfileSARIF proves that the lines of a profile are results with their figures, reasons and flows, and that what
// has no result is said.
func TestProfileSARIF(t *testing.T) {
	r := sampled()
	r.Lines[0].Callees = []string{"fmt.Sprintf", "fmt.newPrinter"}
	run := readSARIF(t, writeProfileSARIF(t, r, 0)).Runs[0]
	if len(run.Results) != 1 {
		t.Fatalf("%d results, want the line that has enough samples and has not changed", len(run.Results))
	}
	result := run.Results[0]
	if want := "40 % (50 % of the module), 18.97 allocs ± 4 %, 4000 B ± 5 % per request: the concatenation moves to the heap " +
		"(calls fmt.Sprintf → fmt.newPrinter)."; *result.Message.Text != want {
		t.Errorf("message %s, want %s", *result.Message.Text, want)
	}
	at := result.Locations[0].PhysicalLocation
	if *at.ArtifactLocation.URI != "services/svc/store/key.go" || *at.Region.StartLine != 7 || *result.RuleID != "CA1010" {
		t.Errorf("%s at %+v", *result.RuleID, at)
	}
	if string(result.Level) != "warning" {
		t.Errorf("40 %% of the bytes are a %s", result.Level)
	}
	if steps := result.CodeFlows[0].ThreadFlows[0].Locations; len(steps) != 2 ||
		*steps[1].Location.Message.Text != "returned to the caller" ||
		*steps[1].Location.PhysicalLocation.ArtifactLocation.URI != "services/svc/store/key.go" {
		t.Errorf("flow %+v", steps)
	}
	var said []string
	for _, n := range run.Invocations[0].ToolExecutionNotifications {
		said = append(said, *n.Message.Text)
	}
	for _, want := range []string{"The sources are from 3fdbf65.", "1 more line with fewer than ten samples",
		"Without a line of the module on the stack: 19 %", "1 line changed since the program was built"} {
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("%q is not said: %q", want, said)
		}
	}
	r.Lines[0].Bytes, r.Lines[0].Package = 900, "example.com/dependency"
	text := writeProfileSARIF(t, r, 3)
	if run = readSARIF(t, text).Runs[0]; len(run.Results) != 1 || *run.Results[0].RuleID != "CA1009" {
		t.Errorf("--top 3 without a folder for the first line:\n%s", text)
	}
	if !strings.Contains(string(text), "1 line of packages outside of the repository") {
		t.Error("the line without a folder is not mentioned")
	}
	r.Lines[2].Bytes = 999
	if run = readSARIF(t, writeProfileSARIF(t, r, 3)).Runs[0]; string(run.Results[0].Level) != "note" {
		t.Errorf("under a tenth of the bytes is a %s", run.Results[0].Level)
	}
}

// TestProfileIncreasesSARIF proves that the lines that allocate more are results, with the change in the message, and
// that a line that cannot be shown is mentioned.
func TestProfileIncreasesSARIF(t *testing.T) {
	c, r := changedProfiles(), sampled()
	r.Lines[0].Line = 9
	var b bytes.Buffer
	options := SARIFOptions{Version: "1.2.3", Others: map[string]string{"example.com/svc/store": "services/svc/store"}}
	if err := ProfileIncreasesSARIF(&b, c, r, options); err != nil {
		t.Fatal(err)
	}
	checkSARIF(t, readSARIF(t, b.Bytes()), b.Bytes())
	run := readSARIF(t, b.Bytes()).Runs[0]
	if len(run.Results) != 1 {
		t.Fatalf("%d results, want the line that is in the report on the new profile", len(run.Results))
	}
	const want = "18.97 → 22.8 allocs (+20 % ± 4 %); 2727 → 3272 B (+20 % ± 4 %), per request: " +
		"the concatenation moves to the heap."
	if got := *run.Results[0].Message.Text; got != want {
		t.Errorf("message %s, want %s", got, want)
	}
	at := run.Results[0].Locations[0].PhysicalLocation
	if *at.ArtifactLocation.URI != "services/svc/store/key.go" || *at.Region.StartLine != 9 {
		t.Errorf("at %+v", at)
	}
	for _, note := range []string{"Both.", "1 more line allocated more, and cannot be reported."} {
		if !strings.Contains(b.String(), note) {
			t.Errorf("%q is not said", note)
		}
	}
}

// TestProfileSARIFHostile proves that text of a profile is text in a log, and that many lines alike stay apart.
func TestProfileSARIFHostile(t *testing.T) {
	for _, payload := range payloads {
		r := sampled()
		l := &r.Lines[0]
		l.Func, l.Code, l.Why, l.Callees, l.Benchmark = payload, payload, payload, []string{payload, payload}, payload
		l.Reasons[0].Message, l.Reasons[0].Flow[0].Message, l.Reasons[0].Flow[0].File = payload, payload, payload
		r.Module, r.Notes, r.Per.Unit = payload, []string{payload}, payload
		r.Outside[0].Package = payload
		writeProfileSARIF(t, r, 0)
	}
	r := sampled()
	line := r.Lines[0]
	r.Lines = nil
	for range maxResults + 5 {
		r.Lines = append(r.Lines, line)
	}
	run := readSARIF(t, writeProfileSARIF(t, r, 0)).Runs[0]
	if len(run.Results) != maxResults {
		t.Errorf("%d results", len(run.Results))
	}
}

// TestProfileNext proves that the report names the exact commands from the largest line to a budget, and only commands
// that work: no benchmark is written for a function that none can call.
func TestProfileNext(t *testing.T) {
	var out bytes.Buffer
	if err := ProfileMarkdown(&out, sampled(), 0); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"**Next**: store/key", "<code>checkalloc suggest example.com/svc/store --bench ",
		"<code>checkalloc guard example.com/svc/store</code>"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is not in\n%s", want, out.String())
		}
	}
	r := sampled()
	r.Lines[0].Benchmark = ""
	if n, ok := nextOf(r, r.Lines, "checkalloc"); !ok || len(n.steps) != 0 {
		t.Errorf("a package that is not of the module: %+v", n.steps)
	}
	r.Lines[0].Kind = ""
	if n, ok := nextOf(r, r.Lines[:1], "checkalloc"); ok {
		t.Errorf("a line without a reason: %+v", n)
	}
}
