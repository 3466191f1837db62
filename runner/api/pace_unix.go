//go:build unix

package api

import (
	"os/exec"
	"syscall"
	"time"
)

// While requests wait for slots, a process in the background runs for paceRun of each pacePeriod. A lower priority
// alone is not enough: a nice process keeps its processor for some milliseconds after another one has become ready, and
// a build becomes ready hundreds of times. The policy SCHED_IDLE yields at once, but gives a process almost nothing
// while other programs keep the machine busy.
const (
	paceStep   = 50 * time.Millisecond
	paceRun    = 200 * time.Millisecond
	pacePeriod = 1 * time.Second
)

// pace stops and continues a process that was started in its own group, as long as crowded says that requests wait for
// slots. It returns when ended is closed. If this program ends before that, the kernel continues and hangs up the
// process, because its group is then orphaned.
func pace(cmd *exec.Cmd, crowded func() bool, ended <-chan struct{}) {
	stopped := false
	for at := time.Duration(0); ; at = (at + paceStep) % pacePeriod {
		if stop := at >= paceRun && crowded(); stop != stopped {
			stopped = stop
			signal := syscall.SIGCONT
			if stop {
				signal = syscall.SIGSTOP
			}
			syscall.Kill(-cmd.Process.Pid, signal) // fails only if the process has ended
		}
		select {
		case <-ended:
			return
		case <-time.After(paceStep):
		}
	}
}
