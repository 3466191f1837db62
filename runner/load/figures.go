package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"onthestack/internal/classroom"
)

// measure makes figures of the answers, and lists what was lost or wrong.
func measure(p plan, requests []request, answers []answer, m memory, goVersion string) (f *classroom.Figures, wrong []string) {
	f = &classroom.Figures{
		Go: goVersion, Platform: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.NumCPU(),
		Clients: p.clients, Presses: p.presses, Within: p.within.Seconds(), Server: m.server, All: m.all,
	}
	for _, name := range []string{"run", "check", "hostile", "greedy"} {
		k := classroom.Kind{Name: name}
		var times []time.Duration
		for i, r := range requests {
			if r.kind != name {
				continue
			}
			a := answers[i]
			k.Requests++
			k.Busy += a.busy
			times = append(times, a.took)
			f.Took = max(f.Took, (r.at + a.took).Seconds())
			if a.problem != "" {
				wrong = append(wrong, fmt.Sprintf("%s, client %d: %s", name, r.client, a.problem))
			}
		}
		if len(times) == 0 {
			continue
		}
		slices.Sort(times)
		k.P50, k.P95, k.Most = quantile(times, 0.5), quantile(times, 0.95), quantile(times, 1)
		f.Kinds = append(f.Kinds, k)
	}
	return f, append(wrong, missed(f)...)
}

// maxMemory is what the runner and all that it starts may take, in bytes.
const maxMemory = 1536 << 20

// missed says what the whole is to be and is not.
func missed(f *classroom.Figures) (missed []string) {
	kind := func(name string) (k classroom.Kind) {
		if i := slices.IndexFunc(f.Kinds, func(k classroom.Kind) bool { return k.Name == name }); i >= 0 {
			k = f.Kinds[i]
		}
		return k
	}
	switch {
	case f.All == 0:
		missed = append(missed, "the memory of processes cannot be read here: there is no /proc")
	case f.All > maxMemory:
		missed = append(missed, fmt.Sprintf("the runner took %d MiB, more than %d", f.All>>20, maxMemory>>20))
	}
	// Who asks for fifty times as much at once waits longer than the others, who ask for the same kind of thing.
	if run, greedy := kind("run"), kind("greedy"); greedy.Requests > 5 && run.P95 > greedy.P95 {
		missed = append(missed, fmt.Sprintf("the class waits for %.1f s (p95), and the greedy client for %.1f s: turns are not given fairly", run.P95, greedy.P95))
	}
	return missed
}

// quantile is the smallest time that a share q of all does not exceed, in seconds to a tenth.
func quantile(sorted []time.Duration, q float64) float64 {
	i := max(0, int(q*float64(len(sorted))+0.999999)-1)
	return sorted[i].Round(100 * time.Millisecond).Seconds()
}

func show(out io.Writer, f *classroom.Figures) {
	fmt.Fprintf(out, "%d clients, %d presses each within %s, on %d cores (%s, %s); all answered after %s\n\n",
		f.Clients, f.Presses, classroom.Seconds(f.Within), f.Cores, f.Go, f.Platform, classroom.Seconds(f.Took))
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "kind\trequests\tbusy\tp50 s\tp95 s\tmost s\t")
	for _, k := range f.Kinds {
		fmt.Fprintf(t, "%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t\n", k.Name, k.Requests, k.Busy, k.P50, k.P95, k.Most)
	}
	t.Flush()
	fmt.Fprintf(out, "\nmemory at most: %d MiB, %d MiB with compilers and linkers\n", f.Server>>20, f.All>>20)
}
