//go:build unix

package confine

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Bound holds the command, and each process that it starts, to the limits, keeps them from leaving core dumps, and
// makes canceling its context end all of them.
func Bound(cmd *exec.Cmd, l Limits) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if l == (Limits{}) {
		return
	}
	shell, err := shell()
	if err != nil {
		cmd.Err = err
		return
	}
	// A process inherits its limits. os/exec can set none, and setting them from here once the process runs would be
	// too late for what it has started by then; a shell can, for a millisecond.
	start := []string{"sh", "-c", l.script() + `exec "$@"`, "sh"}
	if l.Background {
		start = append(start, background()...)
	}
	cmd.Args = slices.Concat(start, []string{cmd.Path}, cmd.Args[1:])
	cmd.Path = shell
}

var shell = sync.OnceValues(func() (string, error) { return exec.LookPath("sh") })

// background is the beginning of a command that starts another one in the background. On Linux that is the scheduling
// policy SCHED_IDLE, for which util-linux and BusyBox have the command chrt. A higher niceness is not enough there: a
// nice process keeps its processor for some milliseconds after another process has become ready, and a build becomes
// ready hundreds of times. Measured with a class of sixty on 2 cores ("make load"): the 95th percentile of a check was
// 8 s with a niceness of 15 for the background, and is below 4 s with SCHED_IDLE. A system that has neither command
// runs all processes with the same priority.
var background = sync.OnceValue(func() []string {
	for _, command := range [][]string{{"chrt", "-i", "0"}, {"nice", "-n", "10"}} {
		path, err := exec.LookPath(command[0])
		if err != nil {
			continue
		}
		command[0] = path
		// The system may refuse the policy, for example in a container.
		if exec.Command(path, append(command[1:len(command):len(command)], "true")...).Run() == nil {
			return command
		}
	}
	return nil
})

// script is what sets the limits. A shell refuses one that is above the user's own, which then holds, and one that the
// system has not got (macOS: address space).
func (l Limits) script() string {
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
