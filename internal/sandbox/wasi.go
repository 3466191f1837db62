package sandbox

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// Error codes of the WASI specification that wazero does not export.
const (
	errnoIO          = 29
	errnoInvalid     = 28
	errnoTooManyOpen = 33
	errnoNameTooLong = 37
	errnoNoSpace     = 51
	errnoNoFunction  = 52
)

// maxVectors bounds the buffers of one read or write, and the events of one poll. Linux has the same limit; Go's own
// calls have one buffer.
const maxVectors = 1024

// A bound limits an argument of a system call. A call cannot be interrupted, and wazero copies its arguments to the
// host's memory.
type bound struct {
	argument int
	most     uint32
	errno    uint64
}

var bounds = map[string][]bound{
	"fd_read":                 {{2, maxVectors, errnoInvalid}},
	"fd_pread":                {{2, maxVectors, errnoInvalid}},
	"fd_write":                {{2, maxVectors, errnoInvalid}},
	"fd_pwrite":               {{2, maxVectors, errnoInvalid}},
	"poll_oneoff":             {{2, maxVectors, errnoInvalid}},
	"path_create_directory":   {{2, maxPath, errnoNameTooLong}},
	"path_filestat_get":       {{3, maxPath, errnoNameTooLong}},
	"path_filestat_set_times": {{3, maxPath, errnoNameTooLong}},
	"path_link":               {{3, maxPath, errnoNameTooLong}, {6, maxPath, errnoNameTooLong}},
	"path_open":               {{3, maxPath, errnoNameTooLong}},
	"path_readlink":           {{2, maxPath, errnoNameTooLong}},
	"path_remove_directory":   {{2, maxPath, errnoNameTooLong}},
	"path_rename":             {{2, maxPath, errnoNameTooLong}, {5, maxPath, errnoNameTooLong}},
	"path_symlink":            {{1, maxPath, errnoNameTooLong}, {4, maxPath, errnoNameTooLong}},
	"path_unlink_file":        {{2, maxPath, errnoNameTooLong}},
}

// wazeroWASI returns the functions of wazero's implementation of WASI, by name.
var wazeroWASI = sync.OnceValues(func() (map[string]api.FunctionDefinition, error) {
	ctx := context.Background()
	engine := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer engine.Close(ctx)
	module, err := wasi_snapshot_preview1.NewBuilder(engine).Compile(ctx)
	if err != nil {
		return nil, fmt.Errorf("set up WASI: %w", err)
	}
	return module.ExportedFunctions(), nil
})

// exportWASI provides the system calls for the programs in an engine: wazero's own, with bounds on their arguments. d
// is nil for a program without a disk.
//
// Two calls differ from wazero's. fd_renumber is not available: wazero would grow a table to the number that it is
// given, and Go does not use the call. fd_close of stderr keeps its number taken, and later writes to stderr are
// dropped. Go's runtime reports a failed write to stderr on stderr, until its stack overflows; on Unix it continues
// silently.
func exportWASI(ctx context.Context, engine wazero.Runtime, d *disk, stderr *stream) (api.Closer, error) {
	functions, err := wazeroWASI()
	if err != nil {
		return nil, err
	}
	builder := engine.NewHostModuleBuilder(wasi_snapshot_preview1.ModuleName)
	for name, f := range functions {
		call := guard(f.GoFunction().(api.GoModuleFunction), bounds[name], d)
		switch name {
		case "fd_renumber":
			call = func(_ context.Context, _ api.Module, stack []uint64) { stack[0] = errnoNoFunction }
		case "fd_close":
			call = stderr.guardClose(call)
		case interruptFunction:
			call = interrupt
		}
		builder.NewFunctionBuilder().WithGoModuleFunction(call, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	module, err := builder.Instantiate(ctx)
	if err != nil {
		return nil, fmt.Errorf("set up WASI: %w", err)
	}
	return module, nil
}

// guard wraps a system call. It refuses arguments beyond the bounds, and returns the disk's refusal in place of EIO.
func guard(call api.GoModuleFunction, bounds []bound, d *disk) api.GoModuleFunc {
	return func(ctx context.Context, m api.Module, stack []uint64) {
		for _, b := range bounds {
			if uint32(stack[b.argument]) > b.most {
				stack[0] = b.errno
				return
			}
		}
		call.Call(ctx, m, stack)
		if stack[0] == errnoIO && d != nil {
			stack[0] = d.refusal
		}
	}
}

// interrupt ends a program whose context has ended.
func interrupt(ctx context.Context, _ api.Module, stack []uint64) {
	if ctx.Err() != nil {
		panic(sys.NewExitError(sys.ExitCodeContextCanceled)) // as wazero ends programs
	}
	stack[0] = 0
}

// A stream is the stderr of a program. Writes after its end are discarded.
type stream struct {
	io.Writer
	closed bool
}

// Write implements io.Writer.
func (s *stream) Write(p []byte) (int, error) {
	if s.closed {
		return len(p), nil
	}
	return s.Writer.Write(p)
}

// guardClose wraps fd_close, so that stderr is only marked as closed and its number is not used again.
func (s *stream) guardClose(call api.GoModuleFunc) api.GoModuleFunc {
	return func(ctx context.Context, m api.Module, stack []uint64) {
		const number = 2
		if uint32(stack[0]) == number {
			s.closed = true
			stack[0] = 0
			return
		}
		call(ctx, m, stack)
	}
}
