package execution

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestEventsAreBounded(t *testing.T) {
	full := 0
	m := &Meter{Left: 1000, Full: func() { full++ }}
	log := NewLog(m)
	for i := range 1000 {
		log.Write(Stdout, int64(Epoch+i), []byte("x"))
	}
	if got, want := len(log.Events()), 1000/(eventCost+1); got != want || full != 1 || !m.Exceeded() {
		t.Errorf("%d events, want %d; full was called %d times", got, want, full)
	}
}

func TestNoteFollowsWhatWasPrinted(t *testing.T) {
	for name, c := range map[string]struct {
		kind string
		wait time.Duration
		left int // bytes, for the text
		want []Event
	}{
		"after stdout": {"stdout", 0, 100, []Event{{"text", "stdout", 0}, {"note", "stderr", 1}}},
		"after stderr": {"stderr", 0, 100, []Event{{"textnote", "stderr", 0}}},
		"after stderr, later": {"stderr", time.Second, 100, []Event{{"text", "stderr", 0},
			{"note", "stderr", time.Second}}},
		"where there was no room":   {"stdout", 0, 4, []Event{{"text", "stdout", 0}, {"note", "stderr", 1}}},
		"where nothing was printed": {"", time.Second, 100, []Event{{"note", "stderr", time.Second}}},
	} {
		log := NewLog(&Meter{Left: eventCost + c.left, Full: func() {}})
		if c.kind != "" {
			log.Write(c.kind, Epoch, []byte("text"))
		}
		log.Note(Epoch+int64(c.wait), "note")
		if got := log.Events(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

func TestValidUTF8(t *testing.T) {
	for in, want := range map[string]string{
		"a\xffb\xfe\xfdc": "a\uFFFDb\uFFFD\uFFFDc",
		"grün":            "grün",
		"\xe4\xbd":        "\uFFFD\uFFFD",
	} {
		if got := validUTF8([]byte(in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// FuzzEvents plays a script: what a program writes where, and how long it sleeps between. A byte of the script says
// which stream is written to (bit 0), whether the next byte says how long to sleep first (bit 1), a power of two of
// nanoseconds, and how many of the bytes that follow are written (the upper six bits).
func FuzzEvents(f *testing.F) {
	f.Add([]byte("\x14hello\x15hello"), uint16(1000))
	f.Add([]byte("\x04\xe4\x08\xb8\x96"), uint16(1000)) // a rune in two writes
	f.Add([]byte("\x04\xe4\x07\x01x\x08\xb8\x96"), uint16(1000))
	f.Add([]byte("\x16\x80hello\x14hello\x17\x00hello"), uint16(130))
	f.Add([]byte("\x00\x01\x00\x01"), uint16(49))
	f.Add([]byte("\x06\x3ea\x07\x3eb\x06\x3ec\x07\x00d\x06\x00e"), uint16(1000)) // until the clock is at its end
	f.Fuzz(func(t *testing.T, script []byte, limit uint16) {
		full := 0
		m := &Meter{Left: int(limit), Full: func() { full++ }}
		log := NewLog(m)
		clock := int64(Epoch)
		var written strings.Builder
		writes := 0
		for len(script) > 0 {
			op := script[0]
			script = script[1:]
			if op&2 != 0 && len(script) > 0 {
				if ns := int64(1) << (script[0] % 64); ns > 0 {
					clock = min(clock, math.MaxInt64-ns) + ns
				}
				script = script[1:]
			}
			text := script[:min(int(op>>2), len(script))]
			script = script[len(text):]
			kind := [...]string{"stdout", "stderr"}[op&1]
			log.Write(kind, clock, text)
			written.Write(text)
			writes++
		}

		events := log.Events()
		kept, cost := "", 0
		now := int64(Epoch)
		for i, e := range events {
			switch {
			case !utf8.ValidString(e.Message):
				t.Errorf("event %d is not UTF-8: %q", i, e.Message)
			case e.Kind != "stdout" && e.Kind != "stderr":
				t.Errorf("event %d is on %q", i, e.Kind)
			case e.Delay < 0 || i > 0 && e.Delay == 0 && clock < math.MaxInt64:
				t.Errorf("event %d came %v after the one before, which it is not part of", i, e.Delay)
			}
			now += int64(e.Delay)
			kept += e.Message
			cost += eventCost + utf8.RuneCountInString(e.Message)
		}
		if cost > int(limit) {
			t.Errorf("%d bytes kept, limit %d", cost, limit)
		}
		if late := now - clock; late > int64(writes) {
			t.Errorf("the last event is %d ns after the end, with %d writes", late, writes)
		}
		// Bytes below 0x80 are not part of any other rune, so they stay and stay in order, whatever was split or
		// replaced around them.
		if got, all := ascii(kept), ascii(written.String()); !strings.HasPrefix(all, got) {
			t.Errorf("kept %q of %q", got, all)
		} else if got != all && !m.Exceeded() {
			t.Errorf("lost %q without a word", all[len(got):])
		}
		if m.Exceeded() != (full == 1) || full > 1 {
			t.Errorf("exceeded %v, full called %d times", m.Exceeded(), full)
		}
		// If each event has only valid text, the text is not changed.
		if !m.Exceeded() && !strings.Contains(kept, "\uFFFD") && kept != written.String() {
			t.Errorf("kept %q, written %q", kept, written.String())
		}
		text, err := json.Marshal(events)
		if err != nil {
			t.Fatal(err)
		}
		var again []Event
		if err := json.Unmarshal(text, &again); err != nil || !reflect.DeepEqual(again, events) {
			t.Errorf("%+v went through JSON as %+v, %v", events, again, err)
		}
	})
}

// ascii returns the bytes of text below 0x80.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return -1
	}, text)
}
