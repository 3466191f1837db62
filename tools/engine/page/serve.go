//go:build js && wasm

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"syscall/js"

	"onthestack/internal/advice"
	"onthestack/internal/execution"
	"onthestack/internal/exercise"
	"onthestack/internal/programs"
	"onthestack/internal/step"
	"onthestack/internal/verdict"
)

// maxEscapeFactor is the largest factor by which JSON makes a text longer: a control character becomes \u0001.
const maxEscapeFactor = 6

// checkSize returns an error for a text that is too large.
func checkSize(what string, size int) error {
	if size > execution.MaxSource {
		return fmt.Errorf("the %s is larger than %d KiB", what, execution.MaxSource>>10)
	}
	return nil
}

// serve registers the functions that the page may call.
func serve() error {
	catalog, err := exercise.Sealed()
	if err != nil {
		return err
	}
	b, err := newBuilder()
	if err != nil {
		return err
	}
	checker := verdict.Checker{Builder: b, Runner: runner{}, Advise: advice.Of,
		Stage: func(name string) { call("stage", name) }}
	compiler := programs.Compiler{Builder: b, GOOS: b.GOOS, Language: b.Language()}
	play := programs.Playground{Compiler: compiler, Runner: runner{}, Loader: runner{}, Output: execution.MaxOutput}
	stepper := step.Stepper{Compiler: compiler, Recorder: runner{}, Picture: sendPicture}
	stepper.Compiler.Builder = reporter{b}
	js.Global().Set("onthestackPage", map[string]any{
		"collect": js.FuncOf(func(js.Value, []js.Value) any {
			go runtime.GC()
			return nil
		}),
		"check": forSolution(catalog, checker.Check),
		"build": forSolution(catalog, checker.Build),
		"compile": forProgram(func(ctx context.Context, body string) (*programs.Response, error) {
			return play.Compile(ctx, body, false)
		}),
		"escape": forProgram(play.Explain),
		"step":   forProgram(stepper.Steps),
		"format": forProgram(func(_ context.Context, body string) (programs.Formatted, error) {
			text, err := programs.Format([]byte(body), programs.FormatGo)
			if err != nil {
				return programs.Formatted{Error: err.Error()}, nil
			}
			return programs.Formatted{Body: string(text)}, nil
		}),
	})
	return nil
}

// sendPicture sends the page the steps of a program before its allocations are counted. A picture that cannot be sent
// is left out: the complete steps follow.
func sendPicture(d *step.Document) {
	if text, err := json.Marshal(d); err == nil {
		call("picture", string(text))
	}
}

// forSolution makes a function of JavaScript of one that takes a solution of an exercise: the exercise's ID, and the
// files as JSON.
func forSolution(
	catalog exercise.Catalog,
	answer func(context.Context, *exercise.Exercise, map[string][]byte) (*verdict.Verdict, error),
) js.Func {
	return asyncJSON(func(ctx context.Context, args []string) (any, error) {
		e := catalog.Lookup(args[0])
		if e == nil {
			return nil, fmt.Errorf("there is no exercise %q", args[0])
		}
		if err := checkSize("solution", len(args[1])/maxEscapeFactor); err != nil {
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
		if err := checkSize("solution", size); err != nil {
			return nil, err
		}
		return answer(ctx, e, files)
	})
}

// forProgram makes a function of JavaScript of one that takes a program's text.
func forProgram[T any](answer func(ctx context.Context, body string) (T, error)) js.Func {
	return asyncJSON(func(ctx context.Context, args []string) (any, error) {
		if err := checkSize("program", len(args[0])); err != nil {
			return nil, err
		}
		return answer(ctx, args[0])
	})
}

// asyncJSON makes a function of JavaScript of one that returns JSON. It returns a promise, since answer may have to
// wait for the page.
func asyncJSON(answer func(ctx context.Context, args []string) (any, error)) js.Func {
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
