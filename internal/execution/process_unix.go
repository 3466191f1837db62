//go:build unix

package execution

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Bound holds the command, and each process that it starts, to the limits, keeps them from leaving core dumps, and
// makes canceling its context end all of them.
func Bound(cmd *exec.Cmd, l ProcessLimits) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if l == (ProcessLimits{}) {
		return
	}
	shell, err := shell()
	if err != nil {
		cmd.Err = err
		return
	}
	// A process inherits its limits. os/exec cannot set limits, and limits that are set once the process runs come too
	// late for other processes that it has already started. A shell can set them first, which takes a millisecond.
	start := []string{"sh", "-c", l.script() + `exec "$@"`, "sh"}
	cmd.Args = slices.Concat(start, l.priority(), []string{cmd.Path}, cmd.Args[1:])
	cmd.Path = shell
}

var shell = sync.OnceValues(func() (string, error) { return exec.LookPath("sh") })

// nice is the command that starts another one with a niceness. A system without it runs all with the same priority.
var nice = sync.OnceValue(func() string {
	path, _ := exec.LookPath("nice")
	return path
})

// priority is the beginning of a command that starts another one with the niceness.
func (l ProcessLimits) priority() []string {
	if l.Nice == 0 || nice() == "" {
		return nil
	}
	return []string{nice(), "-n", strconv.Itoa(l.Nice)}
}

// script is what sets the limits. A shell refuses a limit that is above the user's own limit, which then holds, and a
// limit that the system does not have (macOS: address space).
func (l ProcessLimits) script() string {
	var b strings.Builder
	set := func(option string, value int) { fmt.Fprintf(&b, "ulimit -%s %d 2>/dev/null; ", option, value) }
	set("c", 0)
	if l.Memory > 0 {
		set("v", l.Memory>>10)
	}
	if l.CPU > 0 {
		set("t", int((l.CPU+time.Second-1)/time.Second))
	}
	if l.File > 0 {
		set("f", l.File>>9)
	}
	if l.Processes > 0 {
		// bash and zsh call it u, dash and busybox p; a pipe's size, which is p for bash, cannot be set.
		fmt.Fprintf(&b, "ulimit -u %[1]d 2>/dev/null || ulimit -p %[1]d 2>/dev/null; ", l.Processes)
	}
	return b.String()
}
