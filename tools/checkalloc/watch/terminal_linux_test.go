package watch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"onthestack/internal/exercise"
	"onthestack/internal/verdict"
)

// TestMain is also a program of its own. If BREAKS is set, it is a watch of the fixture in the folder WORKSPACE that
// panics at the point that BREAKS names.
func TestMain(m *testing.M) {
	where := os.Getenv("BREAKS")
	if where == "" {
		code := m.Run()
		os.RemoveAll(productDir)
		os.Exit(code)
	}
	if err := breaks(where); err != nil {
		fmt.Fprintln(os.Stderr, "checkalloc:", err)
		os.Exit(3)
	}
}

func breaks(where string) error {
	s, err := newShop(os.Getenv("WORKSPACE"))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	switch where {
	case "check":
		s.Check = func(context.Context, *exercise.Exercise, map[string][]byte, func(string)) (*verdict.Verdict, error) {
			panic("a mistake in the check")
		}
	case "command":
		s.Catalog = append(s.Catalog, nil) // the progress in it is asked for in the background
	case "view":
		s.Catalog[1].Benchmarks = nil // the list shows the target of the first
	}
	return Screen(ctx, s.Workbook, s.Catalog[0], os.Stdin, os.Stdout, true)
}

// A pty is a pseudo-terminal and the program that runs on it.
type pty struct {
	t        *testing.T
	keyboard *os.File // the terminal's end of the line
	screen   *os.File // the program's end of the line
	before   *term.State
	cmd      *exec.Cmd
	mu       sync.Mutex
	output   bytes.Buffer
	ended    chan error
	tmp      string // the program's folder for temporary files
}

func ioctl(t *testing.T, f *os.File, request uintptr, argument unsafe.Pointer) {
	t.Helper()
	// f.Fd would make reads block, and Close could not end them.
	conn, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var errno syscall.Errno
	if err := conn.Control(func(fd uintptr) {
		_, _, errno = syscall.Syscall(syscall.SYS_IOCTL, fd, request,
			uintptr(argument))
	}); err != nil || errno != 0 {
		t.Fatalf("ioctl %#x: %v, %v", request, errno, err)
	}
}

// open starts a program on a terminal of 80×24.
func open(t *testing.T, env []string, program string, args ...string) *pty {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var unlocked, n int32
	ioctl(t, keyboard, syscall.TIOCSPTLCK, unsafe.Pointer(&unlocked))
	ioctl(t, keyboard, syscall.TIOCGPTN, unsafe.Pointer(&n))
	screen, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := &pty{t: t, keyboard: keyboard, screen: screen, ended: make(chan error, 1)}
	c.resize(80, 24)
	if c.before, err = term.GetState(int(screen.Fd())); err != nil {
		t.Fatal(err)
	}
	c.cmd = exec.Command(program, args...)
	c.cmd.Env = slices.Concat(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "CI=") || strings.HasPrefix(v, "NO_COLOR=") || strings.HasPrefix(v, "COLORTERM=")
	}), []string{"TERM=xterm-256color"}, env)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = screen, screen, screen
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, err := keyboard.Read(buffer)
			c.mu.Lock()
			c.output.Write(buffer[:n])
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	go func() { c.ended <- c.cmd.Wait() }()
	t.Cleanup(func() {
		c.cmd.Process.Kill() // if a test failed
		screen.Close()
		keyboard.Close()
	})
	return c
}

func (c *pty) resize(width, height int) {
	c.t.Helper()
	size := [4]uint16{uint16(height), uint16(width)}
	ioctl(c.t, c.keyboard, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
}

func (c *pty) press(keys string) {
	c.t.Helper()
	if _, err := c.keyboard.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// raw returns everything that the program has written.
func (c *pty) raw() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.output.String()
}

// shows waits until the program has written a text after its first after bytes, and returns how many bytes it has
// written then.
func (c *pty) shows(after int, text string) (at int) {
	c.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if raw := c.raw(); strings.Contains(ansi.Strip(raw[after:]), text) {
			return len(raw)
		}
	}
	c.t.Fatalf("no %q in %q", text, ansi.Strip(c.raw()[after:]))
	return 0
}

// restored waits for the program's end, and proves that the terminal is restored. It returns the exit code.
func (c *pty) restored() int {
	c.t.Helper()
	var err error
	select {
	case err = <-c.ended:
	case <-time.After(2 * time.Minute):
		c.t.Fatal("the program does not end")
	}
	after, stateErr := term.GetState(int(c.screen.Fd()))
	if stateErr != nil {
		c.t.Fatal(stateErr)
	}
	if !reflect.DeepEqual(c.before, after) {
		c.t.Errorf("the terminal's settings were %+v, are %+v", c.before, after)
	}
	raw := c.raw()
	for end := time.Now().Add(time.Minute); !strings.Contains(raw, "\x1b[?1049l") &&
		time.Now().Before(end); raw = c.raw() {
		time.Sleep(10 * time.Millisecond) // the last output may still be on its way
	}
	for what, mode := range map[string]struct{ on, off string }{
		"the alternate screen": {"\x1b[?1049h", "\x1b[?1049l"},
		"the hidden cursor":    {"\x1b[?25l", "\x1b[?25h"},
		"bracketed paste":      {"\x1b[?2004h", "\x1b[?2004l"},
	} {
		if on, off := strings.LastIndex(raw, mode.on), strings.LastIndex(raw, mode.off); on < 0 || off < on {
			c.t.Errorf("%s: the full screen begins at %d and ends at %d of %d bytes", what, on, off, len(raw))
		}
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// productDir is the folder of the program that product builds, "" before it does.
var productDir string

// product builds checkalloc, once.
var product = sync.OnceValues(func() (name string, err error) {
	if productDir, err = os.MkdirTemp("", "checkalloc-test-"); err != nil {
		return "", err
	}
	name = filepath.Join(productDir, "checkalloc")
	// With the flags of the Makefile, the packages are those that the tests have compiled.
	out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", name,
		"onthestack/tools/checkalloc").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return name, nil
})

// solver starts "checkalloc watch exercise7" in a workspace of its own, and waits for the verdict on the starter.
func solver(t *testing.T, env ...string) (c *pty, file string) {
	t.Helper()
	c, file = watching(t, nil, env)
	c.shows(0, "window.go, Replace")
	return c, file
}

// refused is solver with a file that the policy stage refuses, so that nothing is built.
func refused(t *testing.T, env ...string) (c *pty, file string) {
	t.Helper()
	c, file = watching(t, []byte("package window\n\nimport _ \"os\"\n"), env)
	c.shows(0, "is not allowed here")
	return c, file
}

// watching starts "checkalloc watch exercise7" in a workspace of its own, with a text in place of the starter if there
// is one.
func watching(t *testing.T, text []byte, env []string) (c *pty, file string) {
	t.Helper()
	name, err := product()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if out, err := exec.Command(name, "init", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file = filepath.Join(dir, "exercises", "exercise7", "window.go")
	if text != nil {
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	tmp := t.TempDir()
	t.Cleanup(func() {
		left, err := os.ReadDir(tmp)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	c = open(t, append(env, "TMPDIR="+tmp), name, "watch", "exercise7", "--dir", dir)
	c.tmp = tmp
	return c, file
}

// TestTerminal solves an exercise.
func TestTerminal(t *testing.T) {
	c, file := solver(t)
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`\x1b\[[0-9;]*3[0-9]m`).MatchString(c.raw()) {
		t.Error("no color on a terminal that supports it")
	}
	at := len(c.raw())
	c.press("h")
	at = c.shows(at, "Hint 1 of")
	c.press("d")
	at = c.shows(at, "No diff before exercise7")
	if err := os.WriteFile(file, catalog.Lookup("exercise7").Solution["window.go"], 0o666); err != nil {
		t.Fatal(err)
	}
	at = c.shows(at, "Press n for "+catalog[0].ID) // the first that has not passed
	c.press("l")
	at = c.shows(at, "›")
	c.press("\x1b[B\x1b[A\x1b")
	for _, size := range [][2]int{{20, 5}, {1, 1}, {120, 40}} {
		c.resize(size[0], size[1])
		time.Sleep(50 * time.Millisecond)
	}
	c.press("?")
	c.shows(at, "Ctrl-C does the same")
	c.press("qq")
	if code := c.restored(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", ".checkalloc", "progress.json"))
	if err != nil || !strings.Contains(string(text), "passed") {
		t.Errorf("the progress: %s, %v", text, err)
	}
}

// TestRestored ends the program in every way, and proves that the terminal is restored.
func TestRestored(t *testing.T) {
	for name, end := range map[string]func(c *pty, file string){
		"q":       func(c *pty, _ string) { c.press("q") },
		"Ctrl-C":  func(c *pty, _ string) { c.press("\x03") },
		"SIGTERM": func(c *pty, _ string) { c.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGINT":  func(c *pty, _ string) { c.cmd.Process.Signal(syscall.SIGINT) },
		"SIGHUP":  func(c *pty, _ string) { c.cmd.Process.Signal(syscall.SIGHUP) },
		"SIGTERM in a check": func(c *pty, file string) {
			catalog, err := exercise.Sealed()
			if err != nil {
				c.t.Fatal(err)
			}
			hangs := regexp.MustCompile(`(?m)^func Replace\(.*$`).ReplaceAll(
				catalog.Lookup("exercise7").Solution["window.go"], []byte("$0\n\tfor {\n\t}"))
			if err := os.WriteFile(file, hangs, 0o666); err != nil {
				c.t.Fatal(err)
			}
			for begin, running := time.Now(), 0; running == 0; time.Sleep(10 * time.Millisecond) {
				names, err := filepath.Glob(filepath.Join(c.tmp, "checkalloc-run-*"))
				if running = len(names); err != nil || time.Since(begin) > time.Minute {
					c.t.Fatal("it does not run", err)
				}
			}
			c.cmd.Process.Signal(syscall.SIGTERM)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, file := refused(t)
			end(c, file)
			if code := c.restored(); code != 0 {
				t.Errorf("exit code %d: %s", code, ansi.Strip(c.raw()))
			}
		})
	}
}

// TestBreaks proves that a panic is reported on a restored terminal.
func TestBreaks(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]string{"check": "a mistake in the check", "command": "nil pointer dereference",
		"view": "index out of range"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			c := open(t, []string{"BREAKS=" + where, "WORKSPACE=" + t.TempDir()}, self)
			if where != "check" {
				c.shows(0, "q quit")
				c.press("l")
			}
			if code := c.restored(); code != 3 {
				t.Errorf("exit code %d", code)
			}
			left := strings.Index(c.raw(), "\x1b[?1049l")
			for _, text := range []string{want, "bug in this program"} {
				c.shows(left, text)
			}
		})
	}
}

// TestHangUp closes the terminal.
func TestHangUp(t *testing.T) {
	c, _ := refused(t)
	c.keyboard.Close()
	c.screen.Close()
	select {
	case <-c.ended:
	case <-time.After(2 * time.Minute):
		t.Error("the program does not end")
	}
}

// TestPlainTerminal proves that there is no color with NO_COLOR, and no full screen on a terminal that has none.
func TestPlainTerminal(t *testing.T) {
	t.Run("NO_COLOR", func(t *testing.T) {
		t.Parallel()
		c, _ := refused(t, "NO_COLOR=1")
		c.press("q")
		c.restored()
		if color := regexp.MustCompile(`\x1b\[[0-9;]*[34][0-9]m`).FindString(c.raw()); color != "" {
			t.Errorf("%q", color)
		}
	})
	for env, begin := range map[string]func(*testing.T, ...string) (*pty, string){"TERM=dumb": solver, "CI=true": refused} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			c, _ := begin(t, env)
			c.press("\x03") // which the terminal turns into SIGINT
			if err := <-c.ended; err != nil {
				t.Error(err)
			}
			if raw := c.raw(); strings.Contains(raw, "\x1b[?1049h") || env == "TERM=dumb" && !strings.Contains(raw,
				"policy ✓ build ✓ tests ✓") {
				t.Errorf("%q", raw)
			}
		})
	}
}
