//go:build go1.23 && !go1.27

package testmain

// A published record is a record of the runtime's memory profile: internal/profilerecord.MemProfileRecord of Go 1.23 to
// 1.26.
type published struct {
	AllocBytes, FreeBytes     int64
	AllocObjects, FreeObjects int64
	Stack                     []uintptr
}

// size returns the size of one object in bytes.
func (r *published) size() int64 { return r.AllocBytes / r.AllocObjects }

func (r *published) stack() []uintptr { return r.Stack }
