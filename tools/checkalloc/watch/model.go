package watch

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"onthestack/internal/exercise"
	"onthestack/internal/printable"
	"onthestack/internal/workspace"
)

// A mode is what the keys act on.
type mode int

const (
	viewing    mode = iota // the verdict
	confirming             // whether to reset
	listing                // the exercises
	reading                // a text over the verdict: the keys, or the diff
)

// A model is the state of the full screen. Only messages change it: from the terminal, from the session, and from its
// own commands.
type model struct {
	workbook *Workbook
	request  func(*exercise.Exercise) // requests a check of the session

	width, height int // columns and lines, 0 before they are known
	mode          mode
	body          viewport.Model         // the verdict
	page          viewport.Model         // a text over it
	heading       string                 // of page
	text          func(width int) string // of page, in so many columns
	states        []workspace.State      // of the exercises in the list
	selected      int                    // the index of the exercise that the cursor of the list is on

	exercise *exercise.Exercise
	state    workspace.State // the progress in exercise
	checking bool
	ticking  bool     // a tick is scheduled
	stages   []string // that have passed in the check under way
	began    time.Time
	now      time.Time
	last     *checkEnded // the last check of exercise, nil for none yet
	hints    int         // the number of hints that are shown
	notice   string      // the answer to a key, until the next
	warning  string      // a fault, until it is mended
	failed   error       // the panic that ended the session
}

func newModel(w *Workbook, e *exercise.Exercise, request func(*exercise.Exercise)) *model {
	return &model{workbook: w, request: request, exercise: e, body: viewport.New(), page: viewport.New()}
}

// An answer is the message of a function that may have waited for the disk.
type answer struct {
	failed string // begins the notice about err
	err    error
	then   func() // changes the model, unless there is an error
}

// tick is how often the view changes while a check is under way.
const tick = 100 * time.Millisecond

type tickMsg time.Time

func ticking() tea.Cmd {
	return tea.Tick(tick, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// inBackground returns a command for a function that may wait for the disk. A panic in it ends the program cleanly.
func inBackground(f func() answer) tea.Cmd {
	return func() (m tea.Msg) {
		if err := catchPanic(func() { m = f() }); err != nil {
			return crashed{err}
		}
		return m
	}
}

// Init implements tea.Model. It requests a check of the first exercise.
func (m *model) Init() tea.Cmd { return m.open(m.exercise) }

// open shows an exercise, and requests that it is checked and watched.
func (m *model) open(e *exercise.Exercise) tea.Cmd {
	if e == nil {
		return nil
	}
	m.exercise, m.last, m.hints, m.state = e, nil, 0, workspace.State{}
	m.mode, m.checking, m.warning = viewing, false, ""
	m.body.GotoTop()
	return tea.Batch(m.requestCheck(e), inBackground(func() answer {
		state, err := m.workbook.State(e)
		return answer{then: func() {
			switch {
			case m.exercise != e: // another one has been opened
			case err != nil:
				m.warning = printable.Clean(err.Error())
			case m.last == nil:
				m.state = state
			}
		}}
	}))
}

func (m *model) requestCheck(e *exercise.Exercise) tea.Cmd {
	return inBackground(func() answer { m.request(e); return answer{then: func() {}} })
}

// Update implements tea.Model.
func (m *model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = message.Width, message.Height
	case tea.KeyPressMsg:
		cmd = m.key(message.String())
	case checkStarted, stagePassed, checkEnded, crashed:
		cmd = m.session(message)
	case tickMsg:
		m.now = time.Time(message)
		if m.ticking = m.checking; m.ticking {
			cmd = ticking()
		}
	case answer:
		if message.err != nil {
			m.notice = message.failed + printable.Clean(message.err.Error())
		} else {
			message.then()
		}
	}
	m.layOut()
	return m, cmd
}

// session handles a message of the session.
func (m *model) session(message any) tea.Cmd {
	switch message := message.(type) {
	case checkStarted:
		if message.exercise != m.exercise {
			return nil
		}
		m.checking, m.stages, m.began, m.now = true, nil, message.at, message.at
		if !m.ticking {
			m.ticking = true
			return ticking()
		}
	case stagePassed:
		if m.checking {
			m.stages = append(m.stages, message.stage)
		}
	case checkEnded:
		if message.exercise != m.exercise {
			return nil
		}
		m.checking, m.warning = false, ""
		if message.unsaved != nil {
			m.warning = "Not saved: " + printable.Clean(message.unsaved.Error())
		}
		result := m.result()
		m.last, m.notice = &message, ""
		if v := message.verdict; v != nil && message.unsaved == nil {
			m.state.Last = message.before.Last
			if v.Pass && m.state.Passed == nil {
				m.state.Passed = &message.at
			}
		}
		if m.result() != result {
			m.body.GotoTop() // the text is a different one
		}
	case crashed:
		m.failed = message.err
		return tea.Quit
	}
	return nil
}

// resultPassed is the result of a check that passed.
const resultPassed = "passed"

// result names the result of the last check: the stage that failed, or how else it ended.
func (m *model) result() string {
	switch {
	case m.last == nil:
		return "none"
	case m.last.verdict == nil:
		return "error"
	case m.last.verdict.Pass:
		return resultPassed
	}
	return m.last.verdict.Stage
}

// index returns the index of the exercise in the catalog.
func (m *model) index() int { return slices.Index(m.workbook.Catalog, m.exercise) }

// read shows a text over the verdict.
func (m *model) read(heading string, text func(width int) string) {
	m.mode, m.heading, m.text = reading, heading, text
	m.page.GotoTop()
}
