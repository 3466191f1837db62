package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"onthestack/internal/playground"
)

const healthProgram = "package main\n\nfunc main() { print(\"ok\") }\n"

// health answers "ok" when a program can be built and run, and waits for a slot to find out.
func (s *server) health(w http.ResponseWriter, r *http.Request) {
	if err := s.job(r.Context(), s.healthy); err != nil {
		s.fail(w, r, err)
		return
	}
	io.WriteString(w, "ok")
}

func (s *server) healthy(ctx context.Context) error {
	r, err := s.runProgram(ctx, programRequest{Body: healthProgram})
	if err != nil {
		return err
	}
	response := r.answer.(*playground.Response)
	if response.Errors != "" || len(response.Events) != 1 || response.Events[0].Message != "ok" {
		return fmt.Errorf("health check: a program that prints \"ok\" gave %+v", *response)
	}
	return nil
}
