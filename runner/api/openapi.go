package api

import (
	"net/http"

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
	all := []request.Operation{
		{Method: "POST", Path: "/check", Body: checkRequest{}, Answer: verdict.Verdict{},
			Summary: "Checks a solution. With Accept: text/event-stream it streams the stages, then the verdict."},
		{Method: "POST", Path: "/compile", Form: true, Answer: programs.Response{},
			Summary: "Builds a program and runs it."},
		{Method: "POST", Path: "/vet", Form: true, Answer: programs.Response{}, Summary: "Vets a program."},
		{Method: "POST", Path: "/fmt", Form: true, Answer: programs.Formatted{}, Summary: "Formats a program."},
		{Method: "POST", Path: "/escape", Form: true, Answer: programs.Report{},
			Summary: "Returns the compiler's escape report on a program, and a verdict on its benchmarks."},
		{Method: "POST", Path: "/step", Form: true, Answer: request.SchemaText(step.JSONSchema),
			Values: map[string]string{"go": "one of the releases that /version lists, without its patch: 1.27"},
			Summary: "Runs a program statement by statement, and returns its stack and its heap after each. With " +
				"Accept: text/event-stream it streams the picture before the allocations are counted, then the steps."},
		{Method: "POST", Path: "/share", Form: true, Answer: mediaText,
			Summary: "Stores a program, whose text is the body, and returns its ID."},
		{Method: "GET", Path: "/p/{program}", Answer: mediaGo, Summary: "Returns a shared program: ID.go."},
		{Method: "GET", Path: "/version", Answer: goRelease{},
			Summary: "Returns the release of Go, and those on which programs can be stepped through."},
		{Method: "GET", Path: "/api/exercises", Answer: []catalogEntry{},
			Summary: "Returns the exercises with their starters."},
		{Method: "GET", Path: "/_ah/health", Answer: mediaText,
			Summary: "Answers ok if a program can be built and run."},
		{Method: "GET", Path: "/metrics", Answer: mediaText,
			Summary: "Returns the metrics, to this machine alone."},
	}
	for i := range all {
		all[i].Access, all[i].Status = request.Anybody, http.StatusOK
	}
	return append(all, roomhttp.Operations()...)
}

// OpenAPI returns the description of the server's HTTP interface, as OpenAPI 3.1 in JSON.
func OpenAPI() ([]byte, error) {
	return request.OpenAPI("On the Stack",
		"The runner of the workbook On the Stack: it checks exercises, runs Go programs as "+
			"play.golang.org does, and keeps the rooms of classes.", operations())
}
