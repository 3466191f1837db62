package suggest

import (
	"context"

	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/owncode/userpkg"
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
		joined, rest := disjoint(attempts)
		result, err := r.vetEdits(ctx, edits(joined))
		if err != nil {
			return err
		}
		for _, a := range joined {
			if result.OK {
				break
			}
			alone := result
			if len(joined) > 1 {
				if alone, err = r.vetEdits(ctx, a.candidate.Edits); err != nil {
					return err
				}
			}
			if !alone.OK {
				a.reject(StageTests, "%s", vetProblem(alone))
				if err := a.close(); err != nil {
					return err
				}
			}
		}
		attempts, done = rest, done+len(joined)
	}
	return nil
}

// vetEdits runs go vet on the package with edits. Edits that cannot be made together are no result that is OK.
func (r *run) vetEdits(ctx context.Context, edits []fix.Edit) (userpkg.TestResult, error) {
	files, err := fix.Apply(r.subject.Files, edits)
	if err != nil {
		return userpkg.TestResult{Output: []byte(err.Error())}, nil
	}
	return r.subject.Package.With(files).Vet(ctx)
}

func vetProblem(result userpkg.TestResult) string {
	return "go vet reports a problem: " + firstFailure(result.Output)
}
