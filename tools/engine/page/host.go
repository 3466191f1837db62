//go:build js && wasm

package main

import (
	"context"
	"errors"
	"path"
	"syscall/js"

	"onthestack/internal/compilelink"
	"onthestack/internal/execution"
)

// host is the object that the engine's worker provides: its files in memory, its tools, and the sandbox frame in which
// programs run.
func host() js.Value { return js.Global().Get("onthestackHost") }

// work is the folder of the current build. There is one build at a time. Its name is the one that the go command uses
// in its output, so that the output of the tools needs no replacement.
const work = "/$WORK"

// A machine builds in the worker's memory. Each build has one. The binary of a build stays until the build after the
// next one begins, because a program may be read and run while the next one is built.
type machine struct{ even bool }

// Path implements compilelink.Machine.
func (m machine) Path(name string) string {
	switch {
	case name != compilelink.Binary:
		return path.Join(work, name)
	case m.even:
		return "/program.0"
	}
	return "/program.1"
}

// Write implements compilelink.Machine.
func (m machine) Write(name string, text []byte) error {
	_, err := call("write", m.Path(name), bytesOf(text))
	return err
}

// Run implements compilelink.Machine. A tool can be interrupted only by ending the worker, which is up to the page.
func (m machine) Run(_ context.Context, tool string, args ...string) (execution.ToolResult, error) {
	ended, err := await("tool", tool, m.Path(compilelink.Source), jsList(args))
	if err != nil {
		return execution.ToolResult{}, err
	}
	return toolResult(ended), nil
}

// toolResult reads how a tool ended.
func toolResult(ended js.Value) execution.ToolResult {
	var stop execution.Stop
	switch ended.Get("stop").String() {
	case "output":
		stop = execution.Stop{Kind: execution.Output, Bytes: ended.Get("limit").Int()}
	case "memory":
		stop = execution.Stop{Kind: execution.Memory, Bytes: ended.Get("limit").Int()}
	case "deep":
		stop = execution.Stop{Kind: execution.CompilerStack}
	}
	ok := ended.Get("exit").Int() == 0 && stop.Kind == execution.NotStopped
	return execution.ToolResult{OK: ok, Output: goBytes(ended.Get("output")), Stop: stop}
}

// clear removes the files of the build before, and the binary of the one before that.
func (m machine) clear() error {
	for _, name := range []string{work, m.Path(compilelink.Binary)} {
		if _, err := call("remove", name); err != nil {
			return err
		}
	}
	return nil
}

// call calls a function of the host. If it throws, that is the error.
func call(name string, args ...any) (result js.Value, err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case js.Error:
			err = errors.New(thrown.Get("message").String())
		default:
			panic(thrown)
		}
	}()
	return host().Call(name, args...), nil
}

// await calls a function of the host that returns a promise, and waits for its result.
func await(name string, args ...any) (js.Value, error) {
	promise, err := call(name, args...)
	if err != nil {
		return js.Value{}, err
	}
	type settled struct {
		value js.Value
		err   error
	}
	over := make(chan settled, 1)
	resolved := js.FuncOf(func(_ js.Value, args []js.Value) any {
		over <- settled{value: args[0]}
		return nil
	})
	defer resolved.Release()
	rejected := js.FuncOf(func(_ js.Value, args []js.Value) any {
		over <- settled{err: errors.New(args[0].Get("message").String())}
		return nil
	})
	defer rejected.Release()
	promise.Call("then", resolved, rejected)
	s := <-over
	return s.value, s.err
}

func bytesOf(text []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(text))
	js.CopyBytesToJS(array, text)
	return array
}

func goBytes(array js.Value) []byte {
	text := make([]byte, array.Length())
	js.CopyBytesToGo(text, array)
	return text
}
