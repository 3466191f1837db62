package survey

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"onthestack/internal/exercise"
)

// profileRunner runs this project's runner for clients that do what readers do: they run, vet, format, share and step
// through programs, and check starters and solutions of exercises. Tests run as WebAssembly, in the runner's process.
func profileRunner(ctx context.Context, r run) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	catalog, err := exercise.Sealed()
	if err != nil {
		return err
	}
	load := func(ctx context.Context, client int) error {
		if err := runnerPrograms(ctx, address, client); err != nil {
			return err
		}
		return runnerChecks(ctx, address, catalog[client*exercisesEach:][:exercisesEach])
	}
	return r.serveClients(ctx, 2, address, "/version", load, "--addr", address, "--engine", "wasm", "--site", r.dir,
		"--state", filepath.Join(r.dir, "state"), "--snippets", filepath.Join(r.dir, "snippets"))
}

// exercisesEach is how many exercises each client checks.
const exercisesEach = 6

// runnerPrograms has programs run, vetted, formatted, shared and stepped through.
func runnerPrograms(ctx context.Context, address string, client int) error {
	for i := range 12 {
		text := fmt.Sprintf("package main\n\nimport (\n\t\"fmt\"\n\t\"strings\"\n)\n\nfunc main() {\n"+
			"\twords := strings.Fields(\"client %d program %d\")\n\tfor i, w := range words {\n"+
			"\t\tfmt.Println(i, w)\n\t}\n}\n", client, i)
		form := url.Values{"version": {"2"}, "body": {text}}.Encode()
		for _, path := range []string{"/compile", "/vet", "/fmt", "/escape", "/step"} {
			if err := request(ctx, http.MethodPost, "http://"+address+path, "application/x-www-form-urlencoded",
				strings.NewReader(form)); err != nil {
				return err
			}
		}
		if err := request(ctx, http.MethodPost, "http://"+address+"/share", "text/plain", strings.NewReader(text)); err != nil {
			return err
		}
	}
	return nil
}

// runnerChecks has the starter and the solution of exercises checked.
func runnerChecks(ctx context.Context, address string, exercises []*exercise.Exercise) error {
	for _, e := range exercises {
		for _, files := range []map[string][]byte{e.Starter(), e.Solution} {
			texts := map[string]string{}
			for name, text := range files {
				texts[name] = string(text)
			}
			body, err := json.Marshal(map[string]any{"exercise": e.ID, "files": texts})
			if err != nil {
				return err
			}
			if err := request(ctx, http.MethodPost, "http://"+address+"/check", "application/json",
				strings.NewReader(string(body))); err != nil {
				return err
			}
		}
	}
	return nil
}
