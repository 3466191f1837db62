package suggest

import (
	"context"
	"fmt"
	"slices"

	"onthestack/internal/suggest/fix"
	"onthestack/internal/verdict"
)

// combine tries what is proven together, the largest gain first, and drops what then saves nothing more.
func (r *run) combine(ctx context.Context, result *Result, attempts []*attempt) error {
	proven := slices.DeleteFunc(slices.Clone(attempts), func(a *attempt) bool { return a.outcome != Proven })
	if len(proven) == 0 {
		return nil
	}
	slices.SortStableFunc(proven, func(a, b *attempt) int { return gain(b.benchmarks).compare(gain(a.benchmarks)) })
	first := proven[0]
	first.together = true
	edits, files, figuresNow := slices.Clone(first.candidate.Edits), first.files, first.figures
	together := &Combination{IDs: []int{first.id}, Benchmarks: changed(first.benchmarks)}
	for i, a := range proven[1:] {
		r.report(Event{Step: Combine, Done: i + 1, Total: len(proven), Rule: a.candidate.Rule.Title,
			Place: a.candidate.Places[0]})
		if fix.Conflict(edits, a.candidate.Edits) {
			a.why = fmt.Sprintf("it changes the same lines as others of %s", numbers(together.IDs))
			continue
		}
		both, why, err := r.join(ctx, slices.Concat(edits, a.candidate.Edits), figuresNow)
		if err != nil {
			return err
		}
		if why != "" {
			a.why = fmt.Sprintf("beside %s: %s", numbers(together.IDs), why)
			continue
		}
		a.together = true
		together.IDs = append(together.IDs, a.id)
		edits, files, figuresNow = slices.Concat(edits, a.candidate.Edits), both.files, both.figures
		if together.Benchmarks, err = figures(r.base, figuresNow); err != nil {
			return err
		}
		together.Benchmarks = changed(together.Benchmarks)
	}
	together.files = files
	together.Diff = unified(r.subject.Files, files)
	result.Together = together
	return nil
}

// join proves edits of several candidates at once. It says why if they do not save more than the figures before.
func (r *run) join(ctx context.Context, edits []fix.Edit, before *verdict.Verdict) (a *attempt, why string, err error) {
	a = &attempt{old: r.subject.Files}
	if a.files, err = fix.Apply(r.subject.Files, edits); err != nil {
		return a, err.Error(), nil
	}
	defer a.close()
	_, why, err = r.hold(ctx, a, before)
	return a, why, err
}

func numbers(ids []int) string {
	text := ""
	for i, id := range ids {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("#%d", id)
	}
	return text
}
