package lsp

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/report"
	"onthestack/internal/owncode/suggest"
	"onthestack/internal/present"
	"onthestack/internal/printable"
)

// A profiled line is a line of the heap profile, where it is in the text that the editor shows.
type profiled struct {
	heapprofile.Line
	now int // from 1
}

// profiled returns the lines of a document in the profile. The sources of the profile may be another commit's, so a line
// that differs in the document has no figures.
func (s *server) profiled(b *buffer) (all []profiled) {
	if len(s.profile.lines) == 0 {
		return nil
	}
	lines := s.profile.lines[resolved(b.file)]
	if len(lines) == 0 {
		return nil
	}
	changes := changesTo(lines[0].Text(path.Base(lines[0].File)), b.text)
	for _, l := range lines {
		if now := lineKept(changes, l.Line); now > 0 {
			all = append(all, profiled{l, now})
		}
	}
	return all
}

// changesTo returns how a text differs from an older one. Git may have changed the ends of lines.
func changesTo(old, new []byte) []suggest.Change {
	unix := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")) }
	return suggest.Changes("", unix(old), unix(new))
}

// lineKept returns where a line of a text is after changes, 0 if it was changed or deleted.
func lineKept(changes []suggest.Change, line int) int {
	for _, c := range changes {
		if c.Start <= line && line < c.End {
			return 0
		}
	}
	return lineAfter(changes, line)
}

// profileHints returns what the lines of a range allocate in the profile.
func (s *server) profileHints(b *buffer, lines [][]byte, r span) (hints []inlayHint) {
	for _, l := range s.profiled(b) {
		if l.now-1 < r.Start.Line || l.now-1 > r.End.Line || l.now > len(lines) {
			continue
		}
		tooltip := printable.Inline(s.profile.origin())
		if l.Why != "" {
			tooltip = printable.Inline(l.Why) + "\n" + tooltip
		}
		label := s.profile.where() + ": " + report.ProfileHint(s.profile.report, l.Line)
		hints = append(hints, inlayHint{endOf(lines, l.now-1), label, tooltip, true})
	}
	return hints
}

// where says where the figures are from, and how old they are: "in production, 3 days ago".
func (f followed) where() string {
	if f.report.Taken.IsZero() {
		return "in production"
	}
	return "in production, " + age(time.Since(f.report.Taken))
}

// age writes how long ago something was: "just now", "3 days ago".
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return present.Plural(int(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return present.Plural(int(d.Hours()), "hour") + " ago"
	}
	return present.Plural(int(d.Hours()/24), "day") + " ago"
}

// origin says when the profile was taken, and of which sources.
func (f followed) origin() string {
	text := "From a heap profile"
	if !f.report.Taken.IsZero() {
		text += " of " + f.report.Taken.Format("2 January 2006, 15:04")
	}
	if len(f.report.Revision) >= 7 {
		return text + ", with the sources of " + f.report.Revision[:7] + "."
	}
	return text + ". It does not say which sources it is of, so a figure may be on another line of the same function."
}

// profileMarkdown explains what a line of a document, from 1, allocates in the profile.
func (s *server) profileMarkdown(b *buffer, line int) string {
	var text strings.Builder
	for _, l := range s.profiled(b) {
		if l.now != line {
			continue
		}
		fmt.Fprintf(&text, "**%s** %s", escaped(report.ProfileHint(s.profile.report, l.Line)), s.profile.where())
		if l.Why != "" {
			text.WriteString(": " + escaped(l.Why))
		}
		text.WriteString("\n\n")
		steps := 0
		for _, r := range l.Reasons {
			for _, step := range r.Flow {
				steps++
				fmt.Fprintf(&text, "%d. %s %s\n", steps, s.stepLink(b, l, step.File, step.Line), escaped(step.Message))
			}
		}
		if steps > 0 {
			text.WriteString("\n")
		}
		if l.Benchmark != "" {
			fmt.Fprintf(&text, "%s may run this line: *measure* counts it exactly.\n\n", escaped(l.Benchmark))
		}
	}
	if text.Len() > 0 {
		text.WriteString(escaped(s.profile.origin()) + "\n")
	}
	return text.String()
}

// stepLink returns a link to a line of the sources of a profile, or the name alone of one that is not in the package or
// has changed since.
func (s *server) stepLink(b *buffer, l profiled, file string, line int) string {
	title := escaped(fmt.Sprintf("%s:%d", file, line))
	name := filepath.Join(filepath.Dir(b.file), file)
	now := s.present(&figures{dir: filepath.Dir(b.file)}, file)
	old := l.Text(file)
	if old == nil || now == nil {
		return title
	}
	moved := lineKept(changesTo(old, now), line)
	if moved == 0 {
		return title + " \\(changed since\\)"
	}
	return fmt.Sprintf("[%s](%s#L%d)", escaped(fmt.Sprintf("%s:%d", file, moved)), uriOf(name), moved)
}
