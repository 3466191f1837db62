package suggest

import (
	"context"
	"fmt"
	"slices"

	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/verdict"
)

// combine tries what is proven together. Where the edits do not save as much together as the sum of what each saves
// alone, it adds one after the other, the largest gain first, and drops what then saves nothing more.
func (r *run) combine(ctx context.Context, result *Result, attempts []*attempt) error {
	proven := slices.DeleteFunc(slices.Clone(attempts), func(a *attempt) bool { return a.outcome != Proven })
	if len(proven) == 0 {
		return nil
	}
	slices.SortStableFunc(proven, func(a, b *attempt) int { return gain(b.benchmarks).compare(gain(a.benchmarks)) })
	first := proven[0]
	if done, err := r.combineAll(ctx, result, proven); done || err != nil {
		return err
	}
	edits, files, figuresNow := slices.Clone(first.candidate.Edits), first.files, first.figures
	first.together = true
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
			a.why = fmt.Sprintf("together with %s, %s", numbers(together.IDs), why)
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

// combineAll tries all that is proven and does not overlap at once. It reports whether each of these saves as much as
// alone.
func (r *run) combineAll(ctx context.Context, result *Result, proven []*attempt) (bool, error) {
	var edits []fix.Edit
	var joined []*attempt
	for _, a := range proven {
		if !fix.Conflict(edits, a.candidate.Edits) {
			edits, joined = slices.Concat(edits, a.candidate.Edits), append(joined, a)
		}
	}
	if len(joined) < 2 {
		return false, nil
	}
	r.report(Event{Step: Combine, Total: 1, Rule: joined[0].candidate.Rule.Title, Place: joined[0].candidate.Places[0]})
	all, why, err := r.join(ctx, edits, r.base)
	if why != "" || err != nil {
		return false, err
	}
	left := map[string]saving{} // what the edits save alone and not together, by benchmark
	for _, b := range all.benchmarks {
		left[b.Name] = saving{b.Allocs.New - b.Allocs.Old, b.Bytes.New - b.Bytes.Old}
	}
	for _, a := range joined {
		for _, b := range a.benchmarks {
			was := left[b.Name]
			left[b.Name] = saving{was.allocs + b.Allocs.Old - b.Allocs.New, was.bytes + b.Bytes.Old - b.Bytes.New}
		}
	}
	for _, s := range left {
		if s.allocs >= leastAllocs || s.bytes >= leastBytes {
			return false, nil
		}
	}
	together := &Combination{Benchmarks: changed(all.benchmarks), files: all.files,
		Diff: unified(r.subject.Files, all.files)}
	for _, a := range proven {
		if a.together = slices.Contains(joined, a); a.together {
			together.IDs = append(together.IDs, a.id)
		}
	}
	for _, a := range proven {
		if !a.together {
			a.why = fmt.Sprintf("it changes the same lines as others of %s", numbers(together.IDs))
		}
	}
	result.Together = together
	return true, nil
}

// join proves edits of several candidates at once. It says why if they do not save more than the figures before.
func (r *run) join(ctx context.Context, edits []fix.Edit, before *verdict.Verdict) (a *attempt, why string, err error) {
	a = &attempt{old: r.subject.Files}
	if a.files, err = fix.Apply(r.subject.Files, edits); err != nil {
		return a, err.Error(), nil
	}
	defer a.close()
	if _, why, err = r.hold(ctx, a, before); why != "" || err != nil || !r.vet {
		return a, why, err
	}
	result, err := r.vetEdits(ctx, edits)
	if err == nil && !result.OK {
		why = vetProblem(result)
	}
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
