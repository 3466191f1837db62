package watch

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/tools/txtar"

	"onthestack/internal/advice"
	"onthestack/internal/escape"
	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
	"onthestack/internal/workspace"
)

var update = flag.Bool("update", false, "rewrite the screens in testdata")

// A driver sends messages to a model in place of the terminal and the session.
type driver struct {
	t     *testing.T
	model *model
	shop  *shop
	asked []string // the checks that were requested
}

func drive(t *testing.T) *driver {
	t.Helper()
	s, err := newShop(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, shop: s}
	d.model = newModel(s.Workbook, s.Catalog[0], func(e *exercise.Exercise) { d.asked = append(d.asked, e.ID) })
	d.do(d.model.Init())
	return d
}

// send sends messages, and then the messages of the model's commands.
func (d *driver) send(messages ...any) (quit bool) {
	d.t.Helper()
	for _, m := range messages {
		if key, ok := m.(string); ok {
			m = press(key)
		}
		_, cmd := d.model.Update(m)
		switch m.(type) {
		case checkStarted, tickMsg:
			continue // its command would wait for the next tick
		}
		quit = d.do(cmd) || quit
	}
	return quit
}

func (d *driver) do(cmd tea.Cmd) (quit bool) {
	if cmd == nil {
		return false
	}
	switch m := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range m {
			quit = d.do(cmd) || quit
		}
	case tea.QuitMsg:
		return true
	default:
		return d.send(m)
	}
	return quit
}

func press(key string) tea.KeyPressMsg {
	for name, code := range map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "left": tea.KeyLeft,
		"right": tea.KeyRight,
		"home":  tea.KeyHome, "end": tea.KeyEnd, "enter": tea.KeyEnter, "esc": tea.KeyEscape, "space": tea.KeySpace,
	} {
		if key == name {
			return tea.KeyPressMsg{Code: code}
		}
	}
	if key == "ctrl+c" {
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	}
	r := []rune(key)[0]
	return tea.KeyPressMsg{Code: r, Text: key}
}

// noon is the time of the checks.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// source is the source that the verdicts are about.
const source = `package sum

import "strconv"

func Digits(numbers []int) int {
	sum := 0
	for _, n := range numbers {
		text := strconv.Itoa(n)
		for i := range len(text) {
			sum += int(text[i] - '0')
		}
	}
	return sum
}
`

func number(f float64) *float64 { return &f }

// check returns the messages of a check of e with the verdict v.
func check(e *exercise.Exercise, v *verdict.Verdict, before workspace.State) []any {
	v.Exercise, v.Title, v.Go, v.GOOS, v.GOARCH, v.Engine = e.ID, e.Title, "go1.26.8", "linux", "amd64", "native"
	if !v.Pass {
		v.Advice = advice.Of(e, v, nil)
	}
	return []any{
		checkStarted{e, noon},
		checkEnded{exercise: e, at: noon.Add(300 * time.Millisecond),
			files: map[string][]byte{"sum.go": []byte(source)},
			since: 310 * time.Millisecond, verdict: v, before: before},
	}
}

func measured(allocs float64) *verdict.Verdict {
	return &verdict.Verdict{
		Stage: verdict.StageBenchmark, Tests: verdict.Tests{Run: 5},
		Benchmarks: []verdict.Benchmark{{Name: "BenchmarkSum", N: 1000, AllocsPerOp: allocs, BytesPerOp: 26,
			TargetAllocs: number(0)}},
		Allocations: []verdict.Allocation{{
			Benchmark: "BenchmarkSum", File: "sum.go", Line: 8, Func: "Digits", Code: "text := strconv.Itoa(n)",
			AllocsPerOp: allocs, BytesPerOp: 26,
			Why:     "strconv.Itoa makes a string of its own for each number that is over 99",
			Callees: []string{"strconv.Itoa"},
			Reasons: []verdict.Reason{{Line: 8, Col: 23, Message: "string escapes", Why: "it is handed back",
				Flow: []escape.Step{
					{File: "sum.go", Line: 8, Message: "strconv.Itoa returns it"},
				}}},
		}},
	}
}

func passed() *verdict.Verdict {
	return &verdict.Verdict{
		Pass: true, Tests: verdict.Tests{Run: 5},
		Benchmarks: []verdict.Benchmark{{Name: "BenchmarkSum", N: 1000, TargetAllocs: number(0), Pass: true}},
	}
}

func before(allocs float64) workspace.State {
	return workspace.State{Last: []exercise.Figure{{Name: "BenchmarkSum", AllocsPerOp: allocs, BytesPerOp: 26}}}
}

// screens bring a model into each state that the screen shows, by the name of the golden file.
var screens = map[string]func(d *driver){
	"waiting": func(d *driver) {},
	"checking": func(d *driver) {
		d.send(checkStarted{d.e(0), noon}, stagePassed{"policy"}, tickMsg(noon.Add(700*time.Millisecond)))
	},
	"slow": func(d *driver) {
		d.send(checkStarted{d.e(0), noon}, stagePassed{"policy"}, stagePassed{"build"},
			tickMsg(noon.Add(slow+200*time.Millisecond)))
	},
	"closer":   func(d *driver) { d.send(check(d.e(0), measured(2), before(4))...) },
	"further":  func(d *driver) { d.send(check(d.e(0), measured(4), before(2))...) },
	"the same": func(d *driver) { d.send(check(d.e(0), measured(4), before(4))...) },
	"again": func(d *driver) {
		d.send(check(d.e(0), measured(4), before(4))...)
		d.send(checkStarted{d.e(0),
			noon})
	},
	"passed":    func(d *driver) { d.pass(d.e(0), d.e(1)) },
	"last":      func(d *driver) { d.send("n"); d.pass(d.e(1), nil) },
	"unstarted": func(d *driver) { d.send("p") },
	"build": func(d *driver) {
		d.send(check(d.e(0), &verdict.Verdict{Stage: verdict.StageBuild, Errors: []verdict.Problem{{File: "sum.go",
			Line: 6,
			Col:  2, Message: "declared and not used: sum"}}}, before(4))...)
	},
	"tests": func(d *driver) {
		d.send(check(d.e(0), &verdict.Verdict{Stage: verdict.StageTests, Tests: verdict.Tests{Run: 5, Failed: 2,
			Output: "--- FAIL: TestDigits\n\tsum_test.go:24: wrong sum\n\t  numbers: [90817 60 7215 33 418 9 2000]\n" +
				"\t  got:     74\n\t  want:    76\n"}}, before(4))...)
	},
	"failed": func(d *driver) {
		d.send(checkStarted{d.e(0), noon}, checkEnded{exercise: d.e(0), at: noon,
			err: errors.New("the go command is not on PATH: install Go 1.26 or newer (https://go.dev/dl/)")})
	},
	"unsaved": func(d *driver) {
		m := check(d.e(0), measured(4), workspace.State{})
		end := m[1].(checkEnded)
		end.unsaved = errors.New("save the progress: open /a/folder/of/some/length/.checkalloc/progress-123: " +
			"permission denied")
		d.send(m[0], end)
	},
	"one hint":  func(d *driver) { d.send(check(d.e(0), measured(4), before(4))...); d.send("h") },
	"all hints": func(d *driver) { d.send(check(d.e(0), measured(4), before(4))...); d.send("h", "h", "h", "h") },
	"scrolled":  func(d *driver) { d.send(check(d.e(0), measured(4), before(4))...); d.send("h", "h", "h", "G") },
	"question":  func(d *driver) { d.send(check(d.e(0), measured(4), before(4))...); d.send("r") },
	"no reset":  func(d *driver) { d.send("r", "n") },
	"reset":     func(d *driver) { d.send("r", "y") },
	"no diff":   func(d *driver) { d.send(check(d.e(0), measured(4), before(4))...); d.send("d") },
	"diff":      func(d *driver) { d.pass(d.e(0), d.e(1)); d.send("d") },
	"task":      func(d *driver) { d.send(check(d.e(0), measured(4), before(4))...); d.send("t") },
	"list":      func(d *driver) { d.send("l", "down") },
	"help":      func(d *driver) { d.send("?") },
}

func (d *driver) e(i int) *exercise.Exercise { return d.shop.Catalog[i] }

// pass sends the messages of a check of e that passed, after which the reader goes on with next.
func (d *driver) pass(e, next *exercise.Exercise) {
	messages := check(e, passed(), before(1))
	end := messages[1].(checkEnded)
	end.next = next
	d.send(messages[0], end)
}

// sizes are the sizes of the screens in testdata.
var sizes = []tea.WindowSizeMsg{{Width: 80, Height: 24}, {Width: 120, Height: 40}, {Width: 46, Height: 14},
	{Width: 20, Height: 5}}

// TestScreens compares screens with testdata, which has an archive for each screen with a file for each size.
func TestScreens(t *testing.T) {
	for name, show := range screens {
		t.Run(name, func(t *testing.T) {
			d := drive(t)
			d.send(sizes[0])
			show(d)
			file := filepath.Join("testdata", "screens", strings.ReplaceAll(name, " ", "_")+".txtar")
			var got txtar.Archive
			for _, size := range sizes {
				d.send(size)
				fits(t, d.model, size.Width, size.Height)
				var lines []string
				for _, l := range strings.Split(ansi.Strip(d.model.screen()), "\n") {
					lines = append(lines, strings.TrimRight(l, " "))
				}
				got.Files = append(got.Files, txtar.File{Name: fmt.Sprintf("%dx%d", size.Width, size.Height),
					Data: []byte(strings.Join(lines, "\n") + "\n")})
			}
			text := txtar.Format(&got)
			if *update {
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, text,
					0o666)); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if string(want) != string(text) {
				t.Errorf("got\n%s\nwant\n%s\ngo test ./tools/checkalloc/watch -update rewrites it", text, want)
			}
		})
	}
}

// fits proves that the screen fits into a terminal of this size and fills its height.
func fits(t *testing.T, m *model, width, height int) {
	t.Helper()
	screen := m.View().Content
	if width <= 0 || height <= 0 {
		if screen != "" {
			t.Errorf("%d×%d shows %q", width, height, screen)
		}
		return
	}
	lines := strings.Split(screen, "\n")
	if len(lines) != height {
		t.Errorf("%d×%d: %d lines:\n%s", width, height, len(lines), ansi.Strip(screen))
	}
	for i, l := range lines {
		if lipgloss.Width(l) > width {
			t.Errorf("%d×%d: line %d has %d columns: %s", width, height, i+1, lipgloss.Width(l), ansi.Strip(l))
		}
	}
}

// TestSizes shows every screen in terminals of all sizes.
func TestSizes(t *testing.T) {
	for name, show := range screens {
		t.Run(name, func(t *testing.T) {
			d := drive(t)
			show(d) // before the model knows the size
			fits(t, d.model, 0, 0)
			for _, width := range []int{0, 1, 2, 3, 10, 20, 40, 41, 60, 80, 111, 200} {
				for _, height := range []int{0, 1, 2, 3, 4, 5, 6, 7, 11, 12, 15, 16, 24} {
					d.send(tea.WindowSizeMsg{Width: width, Height: height})
					fits(t, d.model, width, height)
				}
			}
		})
	}
}

// FuzzKeys presses keys in any order, between messages of any kind, in terminals of any size. The screen always fits,
// and nothing panics.
func FuzzKeys(f *testing.F) {
	keys := []string{"t", "h", "n", "p", "d", "r", "y", "l", "space", "enter", "up", "down", "pgup", "pgdown", "g", "G",
		"left",
		"right", "?", "x", "j", "k", "home", "end"}
	f.Add([]byte{0, 1, 7, 11, 9, 30, 1, 1, 1, 15, 40, 17, 25, 12, 4, 26})
	f.Add([]byte{2, 30, 3, 11, 27, 4, 5, 50, 6, 13, 9, 9, 8})
	f.Fuzz(func(t *testing.T, presses []byte) {
		d := drive(t)
		width, height := 80, 24
		d.send(tea.WindowSizeMsg{Width: width, Height: height})
		for _, p := range presses[:min(len(presses), 60)] {
			e := d.model.exercise
			switch n := int(p); {
			case n < len(keys):
				d.send(keys[n])
			case n < 25:
				d.send(checkStarted{e, noon}, stagePassed{"policy"})
			case n < 26:
				d.send(check(e, measured(float64(n)), before(3))...)
			case n < 27:
				d.send(check(e, passed(), before(3))...)
			case n < 30:
				d.send(checkEnded{exercise: e, at: noon, err: errors.New("failed")})
			default:
				width, height = n%97, n%31
				d.send(tea.WindowSizeMsg{Width: width, Height: height})
			}
			fits(t, d.model, width, height)
		}
	})
}

// TestKeys proves the effects of keys that the screen does not show.
func TestKeys(t *testing.T) {
	d := drive(t)
	d.send(sizes[0])
	d.send("space", "enter", "n", "n", "p", "p", "l", "down", "enter")
	if got, want := strings.Join(d.asked, " "),
		"exercise6 exercise6 exercise6 exercise7 exercise6 exercise7"; got != want {
		t.Errorf("checks of %s, want %s", got, want)
	}
	d.send(checkStarted{d.e(0), noon}) // a message about the previous exercise
	if d.model.checking {
		t.Error("the check of another exercise is shown")
	}
	for _, keys := range [][]any{{"q"}, {"esc", "q"}, {"ctrl+c"}, {"l", "ctrl+c"}, {"r", "ctrl+c"}, {"?", "ctrl+c"},
		{"l", "esc", "q"}, {"?", "q", "q"}, {"t", "t", "q"}, {"r", "esc", "esc", "q"}} {
		d := drive(t)
		d.send(sizes[0])
		for i, key := range keys {
			if quit := d.send(key); quit != (i == len(keys)-1) {
				t.Errorf("%q: key %d quits: %v", keys, i+1, quit)
			}
		}
	}
}

// TestNext opens, after a pass, the exercise that the message names, and otherwise the one after.
func TestNext(t *testing.T) {
	d := drive(t)
	d.send(sizes[0], "n")
	d.pass(d.e(1), d.e(0))
	if text, _ := d.model.message(); !strings.Contains(text, "Press n for exercise6") {
		t.Errorf("the message is %q", text)
	}
	d.send("n")
	if d.model.exercise != d.e(0) {
		t.Errorf("n opens %s", d.model.exercise.ID)
	}
	d.send("n")
	d.pass(d.e(1), nil)
	d.send("n")
	if want := "This is the last exercise."; d.model.exercise != d.e(1) || d.model.notice != want {
		t.Errorf("n opens %s and says %q, want %q", d.model.exercise.ID, d.model.notice, want)
	}
}

// TestFooter proves that the footer of a terminal with 80 columns has all keys, and that a narrower one keeps the help.
func TestFooter(t *testing.T) {
	for _, test := range []struct {
		width int
		all   bool
	}{{80, true}, {60, false}} {
		text := ansi.Strip(footer(test.width - 2))
		for _, b := range bindings {
			shown := strings.Contains(text, b.key+" "+b.word)
			if b.rank > 0 && !shown && (test.all || b.rank == 1) {
				t.Errorf("%d columns: %q lacks %s", test.width, text, b.word)
			}
		}
	}
}

// TestHints shows one more hint each time, and counts it as the command hint does.
func TestHints(t *testing.T) {
	d := drive(t)
	d.send(sizes[0])
	d.send("h", "h")
	if s, err := d.shop.State(d.e(0)); err != nil || s.Hints != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	d.send("n", "p")
	if d.model.hints != 0 {
		t.Error("hints are shown before the reader asked for them")
	}
	d.send("h")
	if d.model.hints != 3 {
		t.Errorf("%d hints, want at least the two that were shown before", d.model.hints)
	}
}

// TestResets puts the starter back and keeps a backup after y, and only after y.
func TestResets(t *testing.T) {
	d := drive(t)
	d.send(sizes[0])
	name := filepath.Join(d.shop.Dir(d.e(0)), "sum.go")
	for _, key := range []string{"n", "esc", "x", "enter"} {
		d.shop.save(t, d.e(0), half)
		d.send("r", key)
		if text, err := os.ReadFile(name); err != nil || string(text) != half {
			t.Errorf("after %s: %q, %v", key, text, err)
		}
	}
	d.send("r", "y")
	if text, err := os.ReadFile(name); err != nil || string(text) != string(d.e(0).Files["sum.go"]) {
		t.Errorf("after y: %q, %v", text, err)
	}
	_, backup, _ := strings.Cut(d.model.notice, "Your version is in ")
	if text, err := os.ReadFile(filepath.Join(d.shop.Root, backup, "sum.go")); err != nil || string(text) != half {
		t.Errorf("the backup: %q, %v", text, err)
	}
}

// TestScroll proves that the scroll position stays over checks with the same result.
func TestScroll(t *testing.T) {
	d := drive(t)
	d.send(tea.WindowSizeMsg{Width: 80, Height: 12})
	d.send(check(d.e(0), measured(4), before(4))...)
	d.send("down", "down", "down")
	d.send(check(d.e(0), measured(3), before(4))...)
	if d.model.body.YOffset() != 3 {
		t.Errorf("at line %d", d.model.body.YOffset())
	}
	d.send(check(d.e(0), passed(), before(4))...)
	if d.model.body.YOffset() != 0 {
		t.Errorf("at line %d of another text", d.model.body.YOffset())
	}
}

// TestLateTick proves that a tick from before the start of a check does no harm.
func TestLateTick(t *testing.T) {
	d := drive(t)
	d.send(sizes[0], checkStarted{d.e(0), noon}, tickMsg(noon.Add(-time.Minute)))
	fits(t, d.model, 80, 24)
}

// TestColors proves that the colors are the sixteen of the terminal.
func TestColors(t *testing.T) {
	for name, show := range screens {
		d := drive(t)
		d.send(sizes[0])
		show(d)
		for _, sequence := range strings.Split(d.model.screen(), "\x1b[")[1:] {
			code, _, ok := strings.Cut(sequence, "m")
			if !ok || strings.HasPrefix(code, "38") || strings.HasPrefix(code, "48") ||
				strings.HasPrefix(code, "4") && len(code) > 1 {
				t.Errorf("%s: the sequence %q", name, code)
			}
		}
	}
}
