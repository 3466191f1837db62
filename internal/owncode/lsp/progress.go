package lsp

import (
	"context"
	"fmt"

	"onthestack/internal/printable"
)

// begin shows the progress of a job, with a button to cancel it.
func (j *job) begin(ctx context.Context, title string) {
	j.mu.Lock()
	if j.token == nil && j.client.Capabilities.Window.WorkDoneProgress {
		j.tokens++
		token := fmt.Sprintf("checkalloc-%d", j.tokens)
		j.mu.Unlock()
		if j.ask(ctx, "window/workDoneProgress/create", object{"token": token}) != nil {
			return
		}
		j.mu.Lock()
		j.token = token
	}
	j.mu.Unlock()
	j.progress(object{"kind": "begin", "title": title, "cancellable": true})
}

// report shows what a job does now.
func (j *job) report(message string) {
	j.progress(object{"kind": "report", "message": printable.Inline(message)})
}

// end ends the progress of a job with its last message.
func (j *job) end() {
	j.progress(object{"kind": "end", "message": j.last})
}

func (j *job) progress(value object) {
	if j.token != nil {
		j.notify("$/progress", object{"token": j.token, "value": value})
	}
}

// cancelProgress cancels a job whose progress the user has cancelled.
func (s *server) cancelProgress(_ context.Context, p struct {
	Token any `json:"token"`
}) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.running {
		if j.token != nil && fmt.Sprint(j.token) == fmt.Sprint(p.Token) {
			j.cancel(context.Canceled)
		}
	}
	return nil, nil
}
