package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"onthestack/internal/toolchain"
)

// TestSameness builds the programs that other tests send, directly where that is possible and by the go command, and proves that
// a reader cannot tell which it was. Those that take too long to build are not compared.
func TestSameness(t *testing.T) {
	limits := toolchain.StrangerLimits()
	limits.Time = 5 * time.Second
	var servers []*server
	for _, commandOnly := range []bool{false, true} {
		tools, err := toolchain.OpenIsolated(dataDir, limits, toolchain.IsolatedOptions{CommandOnly: commandOnly})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tools.Close() })
		std, err := tools.Std(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := tools.Prepare(t.Context(), std...); err != nil {
			t.Fatal(err)
		}
		s := &server{tools: tools}
		v, err := tools.Version()
		if err != nil {
			t.Fatal(err)
		}
		if s.release, err = newRelease(v); err != nil {
			t.Fatal(err)
		}
		s.warming.init()
		close(s.warming.ended)
		servers = append(servers, s)
	}
	for _, h := range slices.Concat(runs, sources) {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			plan, problem := servers[0].plan(h.body)
			if problem != "" {
				return // it is not built
			}
			var said []string
			for _, s := range servers {
				b, err := s.build(t.Context(), plan)
				if err != nil {
					t.Fatal(err)
				}
				defer b.Close()
				if strings.HasPrefix(b.Stopped, toolchain.TookTooLong) {
					return
				}
				said = append(said, fmt.Sprintf("OK %v, stopped %q\n%s", b.OK, b.Stopped, b.Output))
			}
			if said[0] != said[1] {
				t.Errorf("directly %s\nby the go command %s", said[0], said[1])
			}
		})
	}
}
