package differential

import (
	"bytes"
	"fmt"
	"time"
)

// marker begins the line that the test prints.
const marker = "checkalloc-drawn:"

// mostTime bounds how long inputs are drawn for all functions together. The test draws at most 200 for each.
const mostTime = 300 * time.Millisecond

// A Difference is an input for which two functions do not do the same.
type Difference struct{ Input, Old, New string }

// Parse reads what the test printed: on how many inputs the functions agreed, and an input on which they did not, nil
// for none. A test that was stopped printed nothing, and then no input counts.
func Parse(output []byte) (agreed int, d *Difference) {
	_, rest, ok := bytes.Cut(output, []byte(marker))
	if !ok {
		return 0, nil
	}
	d = &Difference{}
	if n, err := fmt.Sscanf(string(rest), "%d %q %q %q", &agreed, &d.Input, &d.Old, &d.New); n != 4 || err != nil {
		return 0, nil
	}
	if d.Input == "" {
		return agreed, nil
	}
	return agreed, d
}

// runtimeText is the rest of the test file. Each input runs twice on the old function. If the results differ, they
// depend on more than the arguments, and the input is skipped. Panics are compared by their text, except that all
// errors of the runtime are equal, because a bound in their text may differ.
const runtimeText = `
func drawnDiffers(one func(int64, bool) (string, string), end drawntime.Time, agreed *int) bool {
	before := *agreed
	for i := int64(0); i < 200 && drawntime.Now().Before(end); i++ {
		input, was := one(i, true)
		_, is := one(i, false)
		for n := 0; n < 1 || was != is && n < 5; n++ {
			_, old := one(i, true)
			_, new := one(i, false)
			if old != was || new != is {
				*agreed = before
				return false
			}
		}
		if was != is {
			drawnfmt.Printf("checkalloc-drawn: %d %q %q %q\n", *agreed, drawnCut(input), drawnCut(was), drawnCut(is))
			return true
		}
		*agreed++
	}
	return false
}

func drawnOutcome(call func() string) (text string) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case drawnruntime.Error:
			text = "a run-time panic"
		default:
			text = drawnfmt.Sprintf("the panic %v", why)
		}
	}()
	return call()
}

func drawnAfter(args ...string) string {
	if len(args) == 0 {
		return ""
	}
	return ", and then the arguments are (" + drawnJoin(args...) + ")"
}

func drawnJoin(texts ...string) (all string) {
	for i, text := range texts {
		if i > 0 {
			all += ", "
		}
		all += text
	}
	return all
}

func drawnText(v any) string { return drawnfmt.Sprintf("%#v", v) }

func drawnError(err error) string {
	if err == nil {
		return "nil"
	}
	return drawnfmt.Sprintf("%T(%q)", err, err.Error())
}

func drawnCut(text string) string {
	if len(text) > 200 {
		return text[:200] + "…"
	}
	return text
}

func drawnMost(r *drawnrand.Rand) int { return []int{2, 10, 60, 300}[r.Intn(4)] }

func drawnFloat(r *drawnrand.Rand) float64 {
	switch r.Intn(4) {
	case 0:
		return float64(r.Intn(10) - 5)
	case 1:
		return r.NormFloat64() * 1e6
	}
	return r.Float64()
}

func drawnString(r *drawnrand.Rand) string {
	parts := []string{"a", "b", "Z", "0", "7", " ", ",", "=", "\n", "\x00", "é", "世", "\xff", "%", "abc", "12", "key",
		"long enough for the heap"}
	text := ""
	for n := r.Intn(drawnMost(r)) % 12; n > 0; n-- {
		text += parts[r.Intn(len(parts))]
	}
	return text
}

var _, _, _, _, _ = drawnAfter, drawnError, drawnText, drawnFloat, drawnString
`
