package loadtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memory is the largest amount of memory in use at any time, in bytes.
type memory struct {
	server int
	all    int // with the compilers and linkers that it runs
}

// sampling is how often watch looks at the memory in use.
const sampling = 500 * time.Millisecond

// watch records the peak memory of the runner and its children. It misses memory that a child takes between two
// samples, but not the runner's own peak.
func (s *server) watch(ctx context.Context) {
	for {
		of := map[int]process{}
		for _, name := range processes() {
			if p, err := read(name); err == nil {
				of[p.pid] = p
			}
		}
		all := 0
		for _, p := range of {
			if !p.descends(of, s.cmd.Process.Pid) {
				continue
			}
			memory := p.memory()
			all += memory
			if p.pid == s.cmd.Process.Pid {
				s.memory.server = max(s.memory.server, memory, p.peak())
			}
		}
		s.memory.all = max(s.memory.all, all)
		select {
		case <-ctx.Done():
			return
		case <-time.After(sampling):
		}
	}
}

// A process is an entry of /proc.
type process struct {
	pid, parent int
	resident    int // bytes, with the pages that it shares with others
}

func processes() []string {
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	return names
}

func read(name string) (process, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return process{}, err
	}
	// The second field is the program's name in parentheses, and may have spaces.
	end := bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[end+1:]))
	if end < 0 || len(fields) < 22 {
		return process{}, fmt.Errorf("%s is not understood", name)
	}
	pid, err1 := strconv.Atoi(filepath.Base(filepath.Dir(name)))
	parent, err2 := strconv.Atoi(fields[1])
	pages, err3 := strconv.Atoi(fields[21])
	return process{pid, parent, pages * os.Getpagesize()}, errors.Join(err1, err2, err3)
}

// memory returns how much memory in bytes a process takes. A page that several processes map, such as one of a program
// that runs several times, counts in equal parts for each (the proportional set size). Where the system does not tell
// this, each such page counts in full.
func (p process) memory() int {
	if size, ok := p.field("smaps_rollup", "Pss:"); ok {
		return size
	}
	return p.resident
}

// peak returns the most memory in bytes that the process has had since it began, or 0 if the system does not tell. Each
// page counts in full.
func (p process) peak() int {
	size, _ := p.field("status", "VmHWM:")
	return size
}

// field returns a size in bytes from a file about the process.
func (p process) field(file, name string) (size int, ok bool) {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.pid, file))
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, name); found {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			return kib << 10, err == nil
		}
	}
	return 0, false
}

func (p process) descends(of map[int]process, ancestor int) bool {
	for range 100 {
		if p.pid == ancestor {
			return true
		}
		var ok bool
		if p, ok = of[p.parent]; !ok {
			return false
		}
	}
	return false
}
