package watch

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"onthestack/internal/exercise"
	"onthestack/internal/printable"
	"onthestack/tools/checkalloc/workspace"
)

// What the keys act on.
type mode int

const (
	viewing mode = iota // the verdict
	asking              // whether to reset
	listing             // the exercises
	reading             // a text over the verdict: the keys, or the diff
)

// A model is the state of the full screen. It changes by messages only: the terminal's, the session's, and those that
// its own commands answer with.
type model struct {
	workbook *Workbook
	ask      func(*exercise.Exercise) // of the session

	width, height int // columns and lines, 0 before they are known
	mode          mode
	body          viewport.Model // the verdict
	page          viewport.Model // what is read over it
	heading, text string         // of page
	list          list

	exercise *exercise.Exercise
	state    workspace.State // the progress in exercise
	checking bool
	ticking  bool     // a tick is to come
	stages   []string // that have passed in the check under way
	began    time.Time
	now      time.Time
	last     *ended // the last check of exercise, nil for none yet
	hints    int    // how many are shown
	notice   string // the answer to a key, until the next
	warning  string // what goes wrong, until it is well again
	watching string // how changes are found, where that is worth saying
	failed   error  // the mistake in this program that ended the session
}

func newModel(w *Workbook, e *exercise.Exercise, ask func(*exercise.Exercise)) *model {
	return &model{workbook: w, ask: ask, exercise: e, body: viewport.New(), page: viewport.New()}
}

// Messages that the model's own commands answer with.
type (
	stated struct { // the progress in an exercise
		exercise *exercise.Exercise
		state    workspace.State
		err      error
	}
	hinted struct {
		exercise *exercise.Exercise
		shown    int
		err      error
	}
	wasReset struct {
		exercise *exercise.Exercise
		backup   string
		err      error
	}
	differed struct {
		exercise *exercise.Exercise
		text     string
		err      error
	}
	listed struct {
		states []workspace.State
		err    error
	}
	ticked time.Time
)

// tick is how often the view changes while a check is under way.
const tick = 100 * time.Millisecond

func ticking() tea.Cmd {
	return tea.Tick(tick, func(t time.Time) tea.Msg { return ticked(t) })
}

// do runs what may wait for the disk. A mistake in it ends the program in order.
func do(f func() tea.Msg) tea.Cmd {
	return func() (m tea.Msg) {
		if err := guard(func() { m = f() }); err != nil {
			return broke{err}
		}
		return m
	}
}

// Init implements tea.Model: it has the first exercise checked.
func (m *model) Init() tea.Cmd { return m.open(m.exercise) }

// open shows an exercise, and has it checked and watched.
func (m *model) open(e *exercise.Exercise) tea.Cmd {
	if e == nil {
		return nil
	}
	if e != m.exercise {
		m.watching = ""
	}
	m.exercise, m.last, m.hints, m.state = e, nil, 0, workspace.State{}
	m.mode, m.checking, m.warning = viewing, false, ""
	m.compose()
	m.body.GotoTop()
	return tea.Batch(m.again(e), do(func() tea.Msg {
		state, err := m.workbook.State(e)
		return stated{e, state, err}
	}))
}

func (m *model) again(e *exercise.Exercise) tea.Cmd {
	return do(func() tea.Msg { m.ask(e); return nil })
}

// Update implements tea.Model.
func (m *model) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch message := message.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = message.Width, message.Height
		m.compose()
	case tea.KeyPressMsg:
		cmd = m.key(message.String())
	case began, staged, ended, noted, broke:
		cmd = m.session(message)
	case ticked:
		m.now = time.Time(message)
		if m.ticking = m.checking; m.ticking {
			cmd = ticking()
		}
	default:
		m.answer(message)
	}
	m.layOut()
	return m, cmd
}

// session takes in what the session tells.
func (m *model) session(message any) tea.Cmd {
	switch message := message.(type) {
	case began:
		if message.exercise != m.exercise {
			return nil
		}
		m.checking, m.stages, m.began, m.now = true, nil, message.at, message.at
		if !m.ticking {
			m.ticking = true
			return ticking()
		}
	case staged:
		if m.checking {
			m.stages = append(m.stages, message.stage)
		}
	case ended:
		if message.exercise != m.exercise {
			return nil
		}
		m.checking, m.warning = false, ""
		if message.unsaved != nil {
			m.warning = "Not remembered: " + printable.Clean(message.unsaved.Error())
		}
		stage := m.stage()
		m.last, m.notice = &message, ""
		if v := message.verdict; v != nil && message.unsaved == nil {
			m.state.Last = message.before.Last
			if v.Pass && m.state.Passed == nil {
				m.state.Passed = &message.at
			}
		}
		m.compose()
		if m.stage() != stage {
			m.body.GotoTop() // another text
		}
	case noted:
		m.watching = message.text
	case broke:
		m.failed = message.err
		return tea.Quit
	}
	return nil
}

// passes is the outcome of a check that passed.
const passes = "passed"

// stage names the last check's outcome: the stage that failed, or how else it ended.
func (m *model) stage() string {
	switch {
	case m.last == nil:
		return "none"
	case m.last.verdict == nil:
		return "error"
	case m.last.verdict.Pass:
		return passes
	}
	return m.last.verdict.Stage
}

// answer takes in what a command of the model's own answers with.
func (m *model) answer(message any) {
	switch message := message.(type) {
	case stated:
		if message.exercise != m.exercise {
			return
		}
		if message.err != nil {
			m.warning = printable.Clean(message.err.Error())
		} else if m.last == nil {
			m.state = message.state
		}
	case hinted:
		if message.exercise != m.exercise {
			return
		}
		if message.err != nil {
			m.notice = "No hint: " + printable.Clean(message.err.Error())
			return
		}
		if message.shown == m.hints {
			m.notice = "That was the last hint. The solution: " + m.workbook.Command + " solution " + m.exercise.ID + " --spoil"
		}
		m.hints = message.shown
		m.compose()
		m.body.GotoTop()
	case wasReset:
		switch {
		case message.err != nil:
			m.notice = "Not reset: " + printable.Clean(message.err.Error())
		case message.backup == "":
			m.notice = message.exercise.ID + " was as at the start already."
		default:
			m.notice = "What you had is in " + message.backup
		}
	case differed:
		switch {
		case message.err != nil:
			m.notice = "No diff: " + printable.Clean(message.err.Error())
		default:
			m.read(message.exercise.ID+": yours against the solution", message.text)
		}
	case listed:
		if message.err != nil {
			m.notice = printable.Clean(message.err.Error())
			return
		}
		m.mode = listing
		m.list = list{exercises: m.workbook.Catalog, states: message.states, at: m.at()}
	}
}

// at is the place of the exercise in the catalog.
func (m *model) at() int { return slices.Index(m.workbook.Catalog, m.exercise) }

// read shows a text over the verdict.
func (m *model) read(heading, text string) {
	m.mode, m.heading, m.text = reading, heading, text
	m.page.GotoTop()
	m.compose()
}
