package execution

import "testing"

func TestOutOfMemory(t *testing.T) {
	for output, want := range map[string]bool{
		"fatal error: runtime: out of memory\n\nruntime stack:\n":                                    true,
		"fatal error: out of memory\n":                                                               true,
		"# prog\nruntime: out of memory: cannot allocate 4194304-byte block (8192 in use)\n":         true,
		"runtime: VirtualAlloc of 8192 bytes failed\nfatal error: runtime: cannot allocate memory\n": true,
		"runtime: failed to create new OS thread (have 9 already; errno=11)\n":                       true,
		"runtime/cgo: pthread_create failed: Resource temporarily unavailable\n":                     true,
		"fork/exec /usr/local/go/pkg/tool/linux_amd64/compile: cannot allocate memory\n":             true,
		"go: cannot allocate memory":                                                                 true,

		"":                                   false,
		"fatal error: stack overflow\n":      false,
		"out of memory\n":                    false,
		"./prog.go:5:2: undefined: memory\n": false,
		"./prog.go:3:7: \"cannot allocate memory\" (untyped string constant) is not used\n": false,
		"./prog.go:3:7: invalid character `fatal error: out of memory`\n":                   false,
		"vet: ./prog.go:3:7: call has possible formatting directive \"\nfatal error\"\n":    false,
	} {
		if got := OutOfMemory([]byte(output)); got != want {
			t.Errorf("%q: %v", output, got)
		}
	}
}
