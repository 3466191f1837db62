//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"

	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/playground"
	"onthestack/internal/verdict"
)

// mostEscaped is how many times as long as itself a text may be in JSON: a control character becomes \u0001.
const mostEscaped = 6

// fits returns an error for a text that is larger than maxSource.
func fits(what string, size int) error {
	if size > execution.MaxSource {
		return fmt.Errorf("the %s is larger than %d KiB", what, execution.MaxSource>>10)
	}
	return nil
}

// serve sets the functions that the engine's worker calls, in the global onthestackPage.
func serve() error {
	catalog, err := exercise.Sealed()
	if err != nil {
		return err
	}
	b, err := newBuilder()
	if err != nil {
		return err
	}
	checker := verdict.Checker{Builder: b, Runner: runner{}, Stage: func(name string) { call("stage", name) }}
	play := playground.Playground{Builder: b, Runner: runner{}, GOOS: b.GOOS, Language: b.Language(), Output: output}
	js.Global().Set("onthestackPage", map[string]any{
		"check": promising(func(ctx context.Context, args []string) (any, error) {
			e := catalog.Lookup(args[0])
			if e == nil {
				return nil, fmt.Errorf("there is no exercise %q", args[0])
			}
			if err := fits("solution", len(args[1])/mostEscaped); err != nil {
				return nil, err
			}
			var texts map[string]string
			if err := json.Unmarshal([]byte(args[1]), &texts); err != nil {
				return nil, fmt.Errorf("read the solution: %w", err)
			}
			files := map[string][]byte{}
			size := 0
			for name, text := range texts {
				files[name] = []byte(text)
				size += len(text)
			}
			if err := fits("solution", size); err != nil {
				return nil, err
			}
			return checker.Check(ctx, e, files)
		}),
		"compile": ofProgram(func(ctx context.Context, body string) (any, error) { return play.Compile(ctx, body, false) }),
		"escape":  ofProgram(func(ctx context.Context, body string) (any, error) { return play.Escape(ctx, body) }),
		"format": ofProgram(func(_ context.Context, body string) (any, error) {
			text, err := playground.Format([]byte(body), playground.FormatGo)
			if err != nil {
				return playground.Formatted{Error: err.Error()}, nil
			}
			return playground.Formatted{Body: string(text)}, nil
		}),
	})
	return nil
}

// ofProgram returns a JavaScript function that takes a program's text.
func ofProgram(answer func(ctx context.Context, body string) (any, error)) js.Func {
	return promising(func(ctx context.Context, args []string) (any, error) {
		if err := fits("program", len(args[0])); err != nil {
			return nil, err
		}
		return answer(ctx, args[0])
	})
}

// promising returns a JavaScript function that resolves to the result as JSON. It returns a promise because the work
// may wait for the page.
func promising(answer func(ctx context.Context, args []string) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, values []js.Value) any {
		args := make([]string, len(values))
		for i, value := range values {
			args[i] = value.String()
		}
		settle := js.FuncOf(func(_ js.Value, settlers []js.Value) any {
			resolve, reject := settlers[0], settlers[1]
			go func() {
				result, err := answer(context.Background(), args)
				var text []byte
				if err == nil {
					text, err = json.Marshal(result)
				}
				if err != nil {
					reject.Invoke(js.Global().Get("Error").New(err.Error()))
					return
				}
				resolve.Invoke(string(text))
			}()
			return nil
		})
		defer settle.Release()
		return js.Global().Get("Promise").New(settle)
	})
}
