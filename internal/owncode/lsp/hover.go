package lsp

import (
	"fmt"
	"path/filepath"
	"strings"

	"onthestack/internal/printable"
)

// hover explains what the line of a position allocates, in benchmarks and in the heap profile, with the flow that leads
// to the heap.
func (s *server) hover(b *buffer, v view, p documentParams) *hover {
	text := v.measuredMarkdown(b, p.Position.Line+1) + s.profileMarkdown(b, p.Position.Line+1)
	if text == "" {
		return nil
	}
	markdown := strings.TrimRight(text, "\n") + "\n"
	return &hover{markup{"markdown", markdown}, contentOf(splitLines(b.text), p.Position.Line, 0)}
}

// measuredMarkdown explains what a line allocates in benchmarks.
func (v view) measuredMarkdown(b *buffer, line int) string {
	all := v.allocations(filepath.Base(b.file))[line]
	if len(all) == 0 {
		return ""
	}
	var text strings.Builder
	written := map[string]bool{}
	for _, a := range all {
		fmt.Fprintf(&text, "**%s** in %s", figureText(a), escaped(a.Benchmark))
		if !written[a.Why] {
			written[a.Why] = true
			fmt.Fprintf(&text, ": %s", escaped(a.Why))
		}
		text.WriteString("\n\n")
		for _, r := range a.Reasons {
			if written[r.Message] {
				continue
			}
			written[r.Message] = true
			if len(a.Reasons) > 1 && len(r.Flow) > 0 {
				text.WriteString(escaped(r.Why) + ":\n\n")
			}
			for i, step := range r.Flow {
				link := v.link(filepath.Dir(b.file), step.File, step.Line)
				fmt.Fprintf(&text, "%d. %s %s\n", i+1, link, escaped(step.Message))
			}
			if len(r.Flow) > 0 {
				text.WriteString("\n")
			}
		}
	}
	if v.stale != "" {
		text.WriteString("*Stale:* " + escaped(v.stale) + "\n\n")
	}
	return text.String()
}

// link returns a link to a line of the package, or the name alone of a line elsewhere.
func (v view) link(dir, file string, line int) string {
	title := escaped(fmt.Sprintf("%s:%d", file, line))
	if _, known := v.texts[file]; !known || line < 1 {
		return title
	}
	return fmt.Sprintf("[%s](%s#L%d)", title, uriOf(filepath.Join(dir, file)), line)
}

// escaped returns a text that is no Markdown.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range printable.Inline(text) {
		if strings.ContainsRune("\\`*_{}[]()<>#+-!|~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
