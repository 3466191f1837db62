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
	body          viewport.Model // the verdict
	page          viewport.Model // a text over it
	heading, text string         // of page
	list          list

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

// The messages of the model's own commands.
type (
	stateRead struct { // the progress in an exercise
		exercise *exercise.Exercise
		state    workspace.State
		err      error
	}
	hintShown struct {
		exercise *exercise.Exercise
		shown    int
		err      error
	}
	resetDone struct {
		exercise *exercise.Exercise
		backup   string
		err      error
	}
	diffRead struct {
		exercise *exercise.Exercise
		text     string
		err      error
	}
	statesRead struct {
		states []workspace.State
		err    error
	}
	tickMsg time.Time
)

// tick is how often the view changes while a check is under way.
const tick = 100 * time.Millisecond

func ticking() tea.Cmd {
	return tea.Tick(tick, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// inBackground returns a command for a function that may wait for the disk. A panic in it ends the program cleanly.
func inBackground(f func() tea.Msg) tea.Cmd {
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
	m.compose()
	m.body.GotoTop()
	return tea.Batch(m.requestCheck(e), inBackground(func() tea.Msg {
		state, err := m.workbook.State(e)
		return stateRead{e, state, err}
	}))
}

func (m *model) requestCheck(e *exercise.Exercise) tea.Cmd {
	return inBackground(func() tea.Msg { m.request(e); return nil })
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
	case checkStarted, stagePassed, checkEnded, crashed:
		cmd = m.session(message)
	case tickMsg:
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
		m.compose()
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

// answer handles a message of the model's own commands.
func (m *model) answer(message any) {
	switch message := message.(type) {
	case stateRead:
		if message.exercise != m.exercise {
			return
		}
		if message.err != nil {
			m.warning = printable.Clean(message.err.Error())
		} else if m.last == nil {
			m.state = message.state
		}
	case hintShown:
		if message.exercise != m.exercise {
			return
		}
		if message.err != nil {
			m.notice = "No hint: " + printable.Clean(message.err.Error())
			return
		}
		if message.shown == m.hints {
			m.notice = "That was the last hint. The solution: " + m.workbook.Command + " solution " + m.exercise.ID +
				" --spoil"
		}
		m.hints = message.shown
		m.compose()
		m.body.GotoTop()
	case resetDone:
		switch {
		case message.err != nil:
			m.notice = "Not reset: " + printable.Clean(message.err.Error())
		case message.backup == "":
			m.notice = message.exercise.ID + " had no changes to reset."
		default:
			m.notice = "Your version is in " + message.backup
		}
	case diffRead:
		switch {
		case message.err != nil:
			m.notice = "No diff: " + printable.Clean(message.err.Error())
		default:
			m.read(message.exercise.ID+": yours against the solution", message.text)
		}
	case statesRead:
		if message.err != nil {
			m.notice = printable.Clean(message.err.Error())
			return
		}
		m.mode = listing
		m.list = list{exercises: m.workbook.Catalog, states: message.states, selected: m.index()}
	}
}

// index returns the index of the exercise in the catalog.
func (m *model) index() int { return slices.Index(m.workbook.Catalog, m.exercise) }

// read shows a text over the verdict.
func (m *model) read(heading, text string) {
	m.mode, m.heading, m.text = reading, heading, text
	m.page.GotoTop()
	m.compose()
}
