package suggest

import (
	"context"
	"errors"

	"onthestack/internal/owncode/suggest/fix"
)

// vetAll runs go vet on the attempts that were not rejected, and rejects the attempts in which it finds something.
// Edits that do not overlap are vetted at once, because vet takes about as long as a build. Each attempt is vetted
// alone only if vet finds something in them together.
func (r *run) vetAll(ctx context.Context, attempts []*attempt) error {
	if !r.vet {
		return nil
	}
	for done := 0; len(attempts) > 0; {
		r.report(Event{Step: Vet, Done: done, Total: done + len(attempts)})
		joined, rest := r.disjoint(attempts)
		err := r.vetEdits(ctx, edits(joined))
		if err != nil && !errors.As(err, new(*refusal)) {
			return err
		}
		for _, a := range joined {
			alone := err
			if err != nil && len(joined) > 1 {
				alone = r.vetEdits(ctx, a.candidate.Edits)
			}
			if err := a.reject(alone); err != nil {
				return err
			}
		}
		attempts, done = rest, done+len(joined)
	}
	return nil
}

// vetEdits runs go vet on the package with edits. The error is a refusal if vet finds something.
func (r *run) vetEdits(ctx context.Context, edits []fix.Edit) error {
	files, err := fix.Apply(r.subject.Texts, edits)
	if err != nil {
		return err
	}
	result, err := r.subject.With(files).Vet(ctx)
	if err != nil || result.OK {
		return err
	}
	return refuse(StageTests, "go vet reports a problem: %s", firstFailure(result.Output))
}
