package watch

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/spinner"
	"charm.land/lipgloss/v2"

	"onthestack/internal/present"
	"onthestack/internal/verdict"
)

// status returns the message in at most so many lines, with the time of the check on the right.
func (m *model) status(most int) []string {
	right := ""
	switch {
	case m.mode == confirming:
	case m.checking:
		right = fmt.Sprintf("%.1f s", m.elapsed().Seconds())
	case m.last != nil:
		right = fmt.Sprintf("%s  %.2f s", m.last.at.Format(time.TimeOnly), m.last.since.Seconds())
	}
	text, style := m.message()
	room := m.width - 2
	if right != "" && room > 60 {
		room -= lipgloss.Width(right) + 2
	}
	lines := strings.Split(present.Wrap(text, max(room, 10)), "\n")
	if len(lines) > most {
		lines[most-1] = strings.Join(lines[most-1:], " ") // truncated below
		lines = lines[:most]
	}
	for i, l := range lines {
		l = " " + style.Render(truncate(strings.TrimSpace(l), m.width-2))
		if i == 0 {
			l = justify(l, faint.Render(right)+" ", m.width)
		}
		lines[i] = truncate(l, m.width)
	}
	return lines
}

// title returns the line with the exercise and its number in the workbook.
func (m *model) title() string {
	e := m.exercise
	passed := ""
	if m.state.Passed != nil {
		passed = "passed · "
	}
	right := fmt.Sprintf("%s%s · %d of %d", passed, e.Chapter, m.index()+1, len(m.workbook.Catalog))
	return justify(" "+bold.Render(e.ID)+"  "+e.Title, faint.Render(right)+" ", m.width)
}

// progress returns the line of stages: "policy ✓ · build ✓ · tests ✓ 5 of 5 · benchmark ✗ 2 allocs/op, target 1".
func (m *model) progress() string {
	var v *verdict.Verdict // nil while there is none to show
	if m.last != nil && !m.checking {
		v = m.last.verdict
	}
	var long, short []string
	marks, over := "", false // over says that the stage that is under way, or that failed, is behind
	for _, name := range verdict.Stages() {
		mark, style, title, current := "–", faint.Render, name, false
		switch {
		case m.checking && slices.Contains(m.stages, name), v != nil && !over && v.Stage != name:
			mark, style = "✓", good.Render
		case m.checking && !over:
			frames := spinner.MiniDot.Frames
			mark, style, current = frames[int(m.elapsed()/tick)%len(frames)], bold.Render, true
		case v != nil && !over:
			mark, style, current = "✗", bad.Render, true
		default:
			title = faint.Render(name)
		}
		short = append(short, title+" "+style(mark))
		marks += style(mark)
		if current {
			marks += " " + style(name) + " "
		}
		if v != nil && !over {
			mark = strings.TrimRight(mark+" "+detail(v, name), " ")
		}
		long = append(long, title+" "+style(mark))
		over = over || current
	}
	between := faint.Render(" · ")
	for _, text := range []string{strings.Join(long, between), strings.Join(short, between), strings.Join(short, " ")} {
		if lipgloss.Width(text)+1 <= m.width {
			return " " + text
		}
	}
	if m.result() == resultPassed && !m.checking {
		marks += good.Render(" passed")
	}
	return truncate(" "+marks, m.width)
}

// detail returns the result of a stage.
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
		if !b.Pass && b.TargetAllocs != nil && b.AllocsPerOp <= *b.TargetAllocs {
			switch {
			case b.TargetBytes != nil && b.BytesPerOp > *b.TargetBytes:
				return verdict.FormatBytes(b.BytesPerOp) + " B/op, target " + verdict.FormatBytes(*b.TargetBytes)
			case b.MissesLive():
				return verdict.FormatBytes(*b.LiveBytesPerOp) + " live B/op, target " +
					verdict.FormatBytes(*b.TargetLiveBytes)
			}
		}
		text := verdict.FormatAllocs(b.AllocsPerOp)
		if b.TargetAllocs != nil {
			text += ", target " + verdict.FormatCount(*b.TargetAllocs)
		}
		return text
	}
	return ""
}

// slow is the time after which the view explains why a check may take long.
const slow = 3 * time.Second

// elapsed returns the time since the check under way started. It is not negative even if a tick from before the start
// comes late.
func (m *model) elapsed() time.Duration { return max(0, m.now.Sub(m.began)) }

// message returns the most important message, and its style.
func (m *model) message() (string, lipgloss.Style) {
	switch {
	case m.mode == confirming:
		return "Reset " + m.exercise.ID + "? y/n  The starter comes back, and your version moves to a backup.", bold
	case m.notice != "":
		return m.notice, bold
	case m.checking && m.elapsed() > slow:
		return present.Capital(m.workbook.Busy()) + ".", faint
	case m.warning != "":
		return m.warning, bad
	case m.last != nil && m.last.verdict != nil && m.last.verdict.Pass:
		if next := m.last.next; next != nil {
			return fmt.Sprintf("Passed. Press n for %s, %s.", next.ID, next.Title), good
		}
		return "Passed. That was the last one: all exercises have passed.", good
	case m.last != nil && m.last.verdict != nil:
		if text, style := change(m.last); text != "" {
			return text, style
		}
	}
	return "", faint
}

// change says what changed since the previous check. The style shows whether it is an improvement.
func change(r *checkEnded) (string, lipgloss.Style) {
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
