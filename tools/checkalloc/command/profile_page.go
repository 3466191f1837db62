package command

import (
	"fmt"
	"io"

	"onthestack/internal/owncode/heapprofile"
	"onthestack/internal/owncode/report"
)

// writeProfilePage writes the page of a report. It shows the command that it answers.
func (c *explainCall) writeProfilePage(r *heapprofile.Report) error {
	err := c.WritePage(c.html, func(w io.Writer) error {
		return report.ProfileHTML(w, r, c.top, c.Program+" explain"+c.profiled())
	})
	if err != nil {
		err = fmt.Errorf("write the page: %w", err)
	}
	return err
}

// profiled returns the flags that say what the figures are of, quoted for a shell. An address is written without a
// password.
func (c *explainCall) profiled() (flags string) {
	add := func(name, value string) {
		if value == "" {
			return
		}
		flags += " --" + name + " " + quoted(withoutPassword(value))
	}
	add("profile", c.profile)
	add("binary", c.binary)
	add("base", c.base)
	add("per", c.per)
	if c.inUse {
		flags += " --inuse"
	}
	for _, label := range c.labels {
		add("label", label)
	}
	add("tags", c.tags)
	return flags
}
