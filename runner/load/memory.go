package main

import (
	"context"
	"time"

	"github.com/prometheus/procfs"
)

// memory is the largest amount of memory in use at any time, in bytes.
type memory struct {
	server int
	all    int // with the compilers and linkers that it runs
}

// sampling is how often watch looks at the memory in use.
const sampling = 500 * time.Millisecond

// watch records the peak memory of a process and its descendants until ctx is done. It misses memory that a child takes
// between two samples, but not the process's own peak.
func (m *memory) watch(ctx context.Context, pid int) {
	for ctx.Err() == nil {
		processes, _ := procfs.AllProcs() // without /proc there are none: see missed
		parents := map[int]int{}
		for _, p := range processes {
			if stat, err := p.Stat(); err == nil {
				parents[p.PID] = stat.PPID
			}
		}
		all := 0
		for _, p := range processes {
			if !descends(parents, p.PID, pid) {
				continue
			}
			used := inUse(p)
			all += used
			if p.PID == pid {
				status, _ := p.NewStatus()
				m.server = max(m.server, used, int(status.VmHWM))
			}
		}
		m.all = max(m.all, all)
		pause(ctx, sampling)
	}
}

// inUse returns how much memory in bytes a process takes, or 0 if it has ended. A page that several processes map, such
// as one of a program that runs several times, counts in equal parts for each (the proportional set size). Where the
// system does not tell this, each such page counts in full.
func inUse(p procfs.Proc) int {
	if maps, err := p.ProcSMapsRollup(); err == nil {
		return int(maps.Pss)
	}
	stat, _ := p.Stat()
	return stat.ResidentMemory()
}

// descends reports whether a process is another one, or a descendant of it.
func descends(parents map[int]int, pid, ancestor int) bool {
	for range 100 {
		if pid == ancestor {
			return true
		}
		var ok bool
		if pid, ok = parents[pid]; !ok {
			return false
		}
	}
	return false
}
