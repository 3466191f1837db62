package lsp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"onthestack/internal/owncode/suggest"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/verdict"
)

// samples is how often each benchmark is timed before and after an edit.
const samples = 6

// suggest finds and proves edits for the package of a job. They are then offered as code actions.
func (s *server) suggest(ctx context.Context, j *job) error {
	return j.explain(ctx, func(subject *userpkg.Package, _ *verdict.Verdict) error {
		o := suggest.Options{Measure: j.options(), Count: samples, Limit: time.Minute}
		result, err := suggest.Run(ctx, subject, o, func(e suggest.Event) { j.report(e.String()) })
		var why *suggest.NotMeasured
		if errors.As(err, &why) {
			j.last = why.Error()
			s.showMessage(messageError, j.last)
			return nil
		} else if err != nil {
			return err
		}
		s.mu.Lock()
		if f := s.packages[j.dir]; f != nil {
			f.suggested, f.before = result, subject.Texts
		}
		s.mu.Unlock()
		j.last = suggestSummary(result)
		s.showMessage(messageInfo, j.last)
		return nil
	})
}

func suggestSummary(r *suggest.Result) string {
	proven, tried := 0, len(r.Suggestions)+len(r.Rejected)
	for _, s := range r.Suggestions {
		if s.Outcome == suggest.Proven {
			proven++
		}
	}
	switch {
	case proven == 0:
		return fmt.Sprintf("%s: no edit is proven, of %d that were tried", r.Package, tried)
	case proven == 1:
		return r.Package + ": 1 edit is proven; it is a code action on its line"
	}
	return fmt.Sprintf("%s: %d edits are proven; they are code actions on their lines", r.Package, proven)
}
