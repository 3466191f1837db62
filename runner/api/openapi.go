package api

import (
	"onthestack/internal/programs"
	"onthestack/internal/step"
	"onthestack/internal/verdict"
	"onthestack/runner/request"
	"onthestack/runner/room/roomhttp"
)

const (
	mediaText request.Media = "text/plain"
	mediaGo   request.Media = "text/x-go"
)

// operations describes the handlers of handler.go. Package roomhttp describes the handlers of rooms.
func operations() []request.Operation {
	ok := func(answer any) map[int]any { return map[int]any{200: answer} }
	return append([]request.Operation{
		{Method: "POST", Path: "/check", Access: request.Anybody, Body: checkRequest{}, Answers: ok(verdict.Verdict{}),
			Summary: "Checks a solution. With Accept: text/event-stream it streams the stages, then the verdict."},
		{Method: "POST", Path: "/compile", Access: request.Anybody, Form: true, Answers: ok(programs.Response{}),
			Summary: "Builds a program and runs it."},
		{Method: "POST", Path: "/vet", Access: request.Anybody, Form: true, Answers: ok(programs.Response{}),
			Summary: "Vets a program."},
		{Method: "POST", Path: "/fmt", Access: request.Anybody, Form: true, Answers: ok(programs.Formatted{}),
			Summary: "Formats a program."},
		{Method: "POST", Path: "/escape", Access: request.Anybody, Form: true, Answers: ok(programs.Report{}),
			Summary: "Returns the compiler's escape report on a program, and a verdict on its benchmarks."},
		{Method: "POST", Path: "/step", Access: request.Anybody, Form: true,
			Answers: ok(request.SchemaText(step.JSONSchema)),
			Values:  map[string]string{"go": "one of the releases that /version lists, without its patch: 1.27"},
			Summary: "Runs a program statement by statement, and returns its stack and its heap after each. With " +
				"Accept: text/event-stream it streams the picture before the allocations are counted, then the steps."},
		{Method: "POST", Path: "/share", Access: request.Anybody, Form: true, Answers: ok(mediaText),
			Summary: "Stores a program, whose text is the body, and returns its ID."},
		{Method: "GET", Path: "/p/{program}", Access: request.Anybody, Answers: ok(mediaGo),
			Summary: "Returns a shared program: ID.go."},
		{Method: "GET", Path: "/version", Access: request.Anybody, Answers: ok(goRelease{}),
			Summary: "Returns the release of Go, and those on which programs can be stepped through."},
		{Method: "GET", Path: "/api/exercises", Access: request.Anybody, Answers: ok([]catalogEntry{}),
			Summary: "Returns the exercises with their starters."},
		{Method: "GET", Path: "/_ah/health", Access: request.Anybody, Answers: ok(mediaText),
			Summary: "Answers ok if a program can be built and run."},
		{Method: "GET", Path: "/metrics", Access: request.Anybody, Answers: ok(mediaText),
			Summary: "Returns the metrics, to this machine alone."},
	}, roomhttp.Operations()...)
}

// OpenAPI returns the description of the server's HTTP interface, as OpenAPI 3.1 in JSON.
func OpenAPI() ([]byte, error) {
	return request.OpenAPI("On the Stack",
		"The runner of the workbook On the Stack: it checks exercises, runs Go programs as "+
			"play.golang.org does, and keeps the rooms of classes.", operations())
}
