//go:build !go1.23

package testmain

import "runtime"

// A published record is a record of the runtime's memory profile.
type published struct{ runtime.MemProfileRecord }

// size returns the size of one object in bytes.
func (r *published) size() int64 { return r.AllocBytes / r.AllocObjects }

func (r *published) stack() []uintptr { return r.Stack() }

// publish is runtime.MemProfile. Its stacks have 32 calls, as all have in these releases, so an allocation deeper than
// that inside the package's line is not attributed to it.
func publish(p []published, inuseZero bool) (n int, ok bool) {
	records := make([]runtime.MemProfileRecord, len(p))
	n, ok = runtime.MemProfile(records, inuseZero)
	for i := range p {
		p[i].MemProfileRecord = records[i]
	}
	return n, ok
}
