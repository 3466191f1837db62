package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/spinner"
	"charm.land/lipgloss/v2"

	"onthestack/internal/verdict"
)

// status is the message in at most so many lines, with the time of the check at its right.
func (m *model) status(most int) []string {
	right := ""
	switch {
	case m.mode == asking:
	case m.checking:
		right = fmt.Sprintf("%.1f s", m.elapsed().Seconds())
	case m.last != nil:
		right = fmt.Sprintf("%s  %.2f s", m.last.at.Format(time.TimeOnly), m.last.since.Seconds())
	}
	text, style := m.message()
	room := m.width - 2
	if right != "" && room > 60 {
		room -= columns(right) + 2
	}
	lines := strings.Split(lipgloss.Wrap(text, max(room, 10), " "), "\n")
	if len(lines) > most {
		lines[most-1] = strings.Join(lines[most-1:], " ") // cut below
		lines = lines[:most]
	}
	for i, l := range lines {
		l = " " + style.Render(cut(strings.TrimSpace(l), m.width-2))
		if i == 0 {
			l = ends(l, faint.Render(right)+" ", m.width)
		}
		lines[i] = cut(l, m.width)
	}
	return lines
}

// title names the exercise, and where it stands in the workbook.
func (m *model) title() string {
	e := m.exercise
	passed := ""
	if m.state.Passed != nil {
		passed = "passed · "
	}
	right := fmt.Sprintf("%s%s · %d of %d", passed, e.Chapter, m.at()+1, len(m.workbook.Catalog))
	return ends(" "+bold.Render(e.ID)+"  "+e.Title, faint.Render(right)+" ", m.width)
}

// progress is the line of stages: "policy ✓ · build ✓ · tests ✓ 5 of 5 · benchmark ✗ 2 allocs/op, target 1".
func (m *model) progress() string {
	var long, short []string
	marks := ""
	for _, s := range m.reached() {
		name, mark := s.name, s.mark
		if s.ahead {
			name = faint.Render(name)
		}
		short = append(short, name+" "+s.style(mark))
		if s.detail != "" {
			mark += " " + s.detail
		}
		long = append(long, name+" "+s.style(mark))
		marks += s.style(s.mark)
		if s.current {
			marks += " " + s.style(s.name) + " "
		}
	}
	between := faint.Render(" · ")
	for _, text := range []string{strings.Join(long, between), strings.Join(short, between), strings.Join(short, " ")} {
		if columns(text)+1 <= m.width {
			return " " + text
		}
	}
	if m.stage() == passes && !m.checking {
		marks += good.Render(" passed")
	}
	return cut(" "+marks, m.width)
}

// A step is a stage as the view has it.
type step struct {
	name, mark, detail string
	style              func(...string) string
	current            bool // the one that is under way, or failed
	ahead              bool // not reached
}

// reached says of each stage how it stands.
func (m *model) reached() []step {
	var v *verdict.Verdict
	if m.last != nil {
		v = m.last.verdict
	}
	var steps []step
	through := false // the stage that the check has come to is behind
	for _, name := range verdict.Stages() {
		s := step{name: name, mark: "–", style: faint.Render}
		switch {
		case m.checking && slices.Contains(m.stages, name):
			s.mark, s.style = "✓", good.Render
		case m.checking && !through:
			frames := spinner.MiniDot.Frames
			s.mark, s.style = frames[int(m.elapsed()/tick)%len(frames)], bold.Render
			s.current, through = true, true
		case m.checking || v == nil || through:
		case v.Stage == name:
			s.mark, s.style = "✗", bad.Render
			s.current, through = true, true
			s.detail = detail(v, name)
		default:
			s.mark, s.style = "✓", good.Render
			s.detail = detail(v, name)
		}
		s.ahead = s.mark == "–"
		steps = append(steps, s)
	}
	return steps
}

// detail is what a stage came to.
func detail(v *verdict.Verdict, stage string) string {
	switch stage {
	case verdict.StageTests:
		if v.Tests.Run > 0 {
			return fmt.Sprintf("%d of %d", v.Tests.Run-v.Tests.Failed, v.Tests.Run)
		}
	case verdict.StageBenchmark:
		if len(v.Benchmarks) == 0 {
			return ""
		}
		i := max(0, slices.IndexFunc(v.Benchmarks, func(b verdict.Benchmark) bool { return !b.Pass }))
		b := v.Benchmarks[i]
		if b.TargetAllocs != nil && b.TargetBytes != nil && b.AllocsPerOp <= *b.TargetAllocs && !b.Pass {
			return verdict.FormatBytes(b.BytesPerOp) + " B/op, target " + verdict.FormatBytes(*b.TargetBytes)
		}
		text := verdict.FormatAllocs(b.AllocsPerOp)
		if b.TargetAllocs != nil {
			text += ", target " + verdict.FormatCount(*b.TargetAllocs)
		}
		return text
	}
	return ""
}

// slow is how long a check takes before the view says why it may.
const slow = 3 * time.Second

// elapsed is how long the check under way has taken. A tick may come late, after the beginning of another check.
func (m *model) elapsed() time.Duration { return max(0, m.now.Sub(m.began)) }

// message is the most important thing to say, and its style.
func (m *model) message() (string, lipgloss.Style) {
	switch {
	case m.mode == asking:
		return "Reset " + m.exercise.ID + "? y/n  The starter comes back, what you changed moves to a backup.", bold
	case m.notice != "":
		return m.notice, bold
	case m.checking && m.elapsed() > slow:
		return fmt.Sprintf("The first check on a machine compiles the standard library; a test that does not end is stopped after %v.", m.workbook.Patience), faint
	case m.warning != "":
		return m.warning, bad
	case m.last != nil && m.last.verdict != nil && m.last.verdict.Pass:
		return "Passed. " + m.comesNext(), good
	case m.last != nil && m.last.verdict != nil:
		if text, style := change(m.last); text != "" {
			return text, style
		}
	}
	return m.watching, faint
}

// comesNext says what to do after an exercise.
func (m *model) comesNext() string {
	next := m.workbook.Catalog.Next(m.exercise.ID)
	if next == nil {
		return "That was the last exercise."
	}
	return fmt.Sprintf("Press n for %s, %s.", next.ID, next.Title)
}

// change says what changed since the check before, in a style that says whether for the better.
func change(r *ended) (string, lipgloss.Style) {
	measured := false
	for _, b := range r.verdict.Benchmarks {
		for _, was := range r.before.Last {
			if was.Name != b.Name {
				continue
			}
			measured = true
			from, to, unit := was.AllocsPerOp, b.AllocsPerOp, " allocs/op"
			format := verdict.FormatCount
			if from == to {
				from, to, unit, format = was.BytesPerOp, b.BytesPerOp, " B/op", verdict.FormatBytes
			}
			if from == to {
				continue
			}
			name := ""
			if len(r.verdict.Benchmarks) > 1 {
				name = b.Name + " "
			}
			direction, style := "Further: ", bold
			if to < from {
				direction, style = "Closer: ", good
			}
			return direction + name + format(from) + " → " + format(to) + unit, style
		}
	}
	if measured {
		return "The same figures as before", faint
	}
	return "", faint
}
