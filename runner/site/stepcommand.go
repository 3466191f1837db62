package site

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// failedVariable is the environment variable that tells a command which steps failed whose results it would use: their
// names, separated by spaces.
const failedVariable = "WITHOUT"

// outputKept is how many bytes of a command's output are kept: the end, which has the errors.
const outputKept = 8 << 10

// runCommand runs a command and returns the end of its output. Canceling ctx ends the command and all processes that it
// started: first with a signal that they can handle, and after options.Grace by killing them.
func runCommand(ctx context.Context, args []string, options stepOptions, without []string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = options.Dir
	cmd.Env = append(os.Environ(), failedVariable+"="+strings.Join(without, " "))
	cmd.WaitDelay = options.Grace
	var output tail
	cmd.Stdout, cmd.Stderr = &output, &output
	end := asGroup(cmd)
	err := cmd.Run()
	end()
	// The command succeeded even if it left a process running in the background that has its output open.
	if errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		err = nil
	}
	return output.String(), err
}

// A tail keeps the last complete lines that are written to it, at most outputKept bytes.
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
