package prepare

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// Without is the environment variable that tells a command which steps it has to do without, by name, with spaces between.
const Without = "WITHOUT"

// outputKept is how much is kept of what a command writes, in bytes: its end, which is where errors are.
const outputKept = 8 << 10

// command runs a command, and returns the end of what it wrote. Canceling ctx ends it and all that it started: first by a signal
// that it may handle, after the grace by one that it may not.
func command(ctx context.Context, args []string, options Options, without []string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = options.Dir
	cmd.Env = append(os.Environ(), Without+"="+strings.Join(without, " "))
	cmd.WaitDelay = options.Grace
	var output tail
	cmd.Stdout, cmd.Stderr = &output, &output
	end := asGroup(cmd)
	err := cmd.Run()
	end()
	// What it left running in the background, with the output open, is none of its success.
	if errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		err = nil
	}
	return output.String(), err
}

// A tail keeps the last whole lines that are written to it, outputKept bytes at most.
type tail struct {
	text []byte
	cut  bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if over := len(t.text) - outputKept; over > 0 {
		t.text, t.cut = append(t.text[:0], t.text[over:]...), true
	}
	return len(p), nil
}

func (t *tail) String() string {
	text := t.text
	if t.cut {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return strings.ToValidUTF8(strings.TrimSpace(string(text)), "\uFFFD")
}
