//go:build go1.27 && !go1.28

package testmain

// A published record is a record of the runtime's memory profile: internal/profilerecord.MemProfileRecord of Go 1.27.
type published struct {
	ObjectSize                int64
	AllocObjects, FreeObjects int64
	Stack                     []uintptr
}

// size returns the size of one object in bytes.
func (r *published) size() int64 { return r.ObjectSize }

func (r *published) stack() []uintptr { return r.Stack }
