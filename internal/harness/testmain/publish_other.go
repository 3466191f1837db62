//go:build !go1.23 || go1.28

package testmain

import "runtime"

// A published record is one of the runtime's memory profile.
type published struct{ runtime.MemProfileRecord }

// size is an object's, in bytes.
func (r *published) size() int64 { return r.AllocBytes / r.AllocObjects }

func (r *published) stack() []uintptr { return r.Stack() }

// publish is runtime.MemProfile. Of what is allocated more than 32 calls inside the package's line, that line is not
// known.
func publish(p []published, inuseZero bool) (n int, ok bool) {
	records := make([]runtime.MemProfileRecord, len(p))
	n, ok = runtime.MemProfile(records, inuseZero)
	for i := range p {
		p[i].MemProfileRecord = records[i]
	}
	return n, ok
}
