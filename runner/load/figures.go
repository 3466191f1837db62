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
	return f, wrong
}

// quantile is the smallest time that a share q of all does not exceed, in seconds to a tenth.
func quantile(sorted []time.Duration, q float64) float64 {
	i := max(0, int(q*float64(len(sorted))+0.999999)-1)
	return sorted[i].Round(100 * time.Millisecond).Seconds()
}

func print(out io.Writer, f *classroom.Figures) {
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
