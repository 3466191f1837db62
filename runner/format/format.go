// Package format formats programs, each in a process of its own, which can be stopped.
package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"onthestack/internal/confine"
	"onthestack/internal/program"
)

// Time bounds formatting one program: the time that go/format takes grows with the cube of how deep the source nests, and 60 KB
// can take a minute.
const Time = 3 * time.Second

const (
	// memory bounds the address space of the process, in bytes.
	memory = 2 << 30
	// maxFormatted bounds what formatting makes of a program, in bytes.
	maxFormatted = 1 << 20
)

// A Formatted is what came of a program.
type Formatted struct {
	Text    string
	Mistake string // why there is no text, for the sender: "prog.go:3:1: …"
}

// Program formats a program and, with imports, completes its imports. It runs this program's own executable with Command, in a
// folder that it makes in dir and removes.
func Program(ctx context.Context, dir, text string, imports bool) (Formatted, error) {
	self, err := os.Executable()
	if err != nil {
		return Formatted{}, fmt.Errorf("find this program: %w", err)
	}
	// An empty folder stands for GOPATH and for the working directory: imports are looked for in the standard library alone, not
	// in the modules that this machine happens to have, which no program here can import.
	dir, err = os.MkdirTemp(dir, "format-")
	if err != nil {
		return Formatted{}, fmt.Errorf("make a folder for formatting: %w", err)
	}
	defer os.RemoveAll(dir)
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, Time)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, Command)
	cmd.Dir = dir
	cmd.Env = environ(dir, imports)
	confine.Bound(cmd, confine.Limits{Memory: memory, CPU: 2 * Time})
	// Indentation grows with the square of how deep a source nests: 24 KB can become 64 MB.
	out, mistake := &bounded{most: maxFormatted, full: cancel}, &bounded{most: maxFormatted, full: cancel}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), out, mistake
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case parent.Err() != nil:
		return Formatted{}, context.Cause(parent)
	case out.over || mistake.over:
		return mistaken("%s: formatted, the program is larger than %d KiB", program.File, maxFormatted>>10), nil
	case ctx.Err() != nil:
		return mistaken("%s: formatting took longer than %v and was stopped", program.File, Time), nil
	case errors.As(err, &exit) && exit.ExitCode() == exitMistake:
		return Formatted{Mistake: strings.TrimSpace(mistake.text.String())}, nil
	case exit != nil:
		// What it printed is its own stack.
		return mistaken("%s: formatting needed more memory or time than there is for it", program.File), nil
	case err != nil:
		return Formatted{}, fmt.Errorf("format a program: %w", err)
	}
	return Formatted{Text: out.text.String()}, nil
}

func mistaken(format string, args ...any) Formatted {
	return Formatted{Mistake: fmt.Sprintf(format, args...)}
}

// A bounded buffer calls full, and keeps nothing more, when there is more than most bytes.
type bounded struct {
	text bytes.Buffer
	most int
	full func()
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.over = b.over || b.text.Len()+len(p) > b.most; b.over {
		b.full()
	} else {
		b.text.Write(p)
	}
	return len(p), nil
}

// environ is the environment of the process: where Go is, and nothing else of this machine's. The go command that it asks for
// that keeps statistics in a home folder, also when it is over, so there is none.
func environ(dir string, imports bool) []string {
	env := []string{"GO111MODULE=off", "GOFLAGS=", "GOWORK=off", "GOENV=off", "GOTOOLCHAIN=local", "GOPATH=" + dir, "TMPDIR=" + dir, "PWD=" + dir}
	for _, name := range []string{"PATH", "GOROOT", "SYSTEMROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	if imports {
		env = append(env, withImports+"=1")
	}
	return env
}
