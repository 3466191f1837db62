package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"onthestack/internal/present"
	"onthestack/internal/present/terminal"
	"onthestack/internal/printable"
	"onthestack/internal/step"
)

// screen shows one step at a time on the full screen of a terminal.
func (c *stepCall) screen(ctx context.Context, compared []step.Compared) error {
	options := []tea.ProgramOption{tea.WithInput(c.In), tea.WithOutput(c.Raw), tea.WithoutSignalHandler()}
	if c.NoColor {
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program := tea.NewProgram(&stepModel{compared: compared, body: viewport.New()}, options...)
	defer context.AfterFunc(ctx, program.Quit)()
	if _, err := program.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("full screen: %w; \"%s step … | cat\" works without it", err, c.Name)
	}
	return nil
}

// A stepModel is the state of the full screen.
type stepModel struct {
	compared []step.Compared
	at       int // the step that is shown
	body     viewport.Model
	width    int
}

const stepKeys = "→ step  ↓ over  ← back  home end  PgUp PgDn scroll  q quit"

// Init implements tea.Model.
func (m *stepModel) Init() tea.Cmd { return nil }

// Update implements tea.Model.
func (m *stepModel) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.width = message.Width
		m.body.SetWidth(message.Width)
		m.body.SetHeight(max(1, message.Height-1))
		m.draw()
	case tea.KeyPressMsg:
		last := maxSteps(m.compared) - 1
		switch message.String() {
		case "q", "esc", "ctrl+c":
			return m, tea.Quit
		case "right", "n", "space", "enter", "l":
			m.at = min(m.at+1, last)
		case "left", "p", "backspace", "h":
			m.at = max(m.at-1, 0)
		case "down", "o", "j":
			m.at = stepOver(m.longest(), m.at)
		case "home", "g":
			m.at = 0
		case "end", "G":
			m.at = last
		default:
			var cmd tea.Cmd
			m.body, cmd = m.body.Update(message)
			return m, cmd
		}
		m.draw()
		m.body.GotoTop()
	}
	return m, nil
}

// longest returns the program with most steps, whose calls are stepped over.
func (m *stepModel) longest() *step.Document {
	return slices.MaxFunc(m.compared, func(a, b step.Compared) int {
		return len(a.Steps.Steps) - len(b.Steps.Steps)
	}).Steps
}

func (m *stepModel) draw() {
	var text strings.Builder
	printTo(printable.NewWriter(&text), func(w io.Writer) error {
		_, err := io.WriteString(w, terminal.ProgramStep(m.compared, m.at, max(60, m.width)))
		return err
	})
	m.body.SetContent(text.String())
}

// View implements tea.Model.
func (m *stepModel) View() tea.View {
	v := tea.NewView(m.body.View() + "\n" + present.Faint.Render(stepKeys))
	v.AltScreen = true
	return v
}

// stepOver returns the next step in which the goroutine of step at is in the same frame or in one that called it.
func stepOver(d *step.Document, at int) int {
	depth := func(n int) (frames int) {
		for _, f := range d.Steps[n].Stack {
			if f.Goroutine == d.Steps[at].Goroutine {
				frames++
			}
		}
		return frames
	}
	own := depth(at)
	for n := at + 1; n < len(d.Steps); n++ {
		if s := d.Steps[n]; s.Event == step.Ended || s.Goroutine == d.Steps[at].Goroutine && depth(n) <= own {
			return n
		}
	}
	return len(d.Steps) - 1
}
