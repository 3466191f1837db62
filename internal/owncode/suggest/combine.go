package suggest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/verdict"
)

// combine tries what is proven together, as far as it does not overlap. Where the edits do not save as much together as
// the sum of what each saves alone, it adds one after the other, the largest gain first, and drops what then saves
// nothing more.
func (r *run) combine(ctx context.Context, result *Result, attempts []*attempt) error {
	proven := slices.DeleteFunc(slices.Clone(attempts), func(a *attempt) bool { return a.outcome != Proven })
	if len(proven) == 0 {
		return nil
	}
	slices.SortStableFunc(proven, func(a, b *attempt) int { return gain(b.benchmarks).compare(gain(a.benchmarks)) })
	joined, others := disjoint(proven)
	all := joined[0]
	if len(joined) > 1 {
		r.report(Event{Step: Combine, Total: 1, Rule: all.candidate.Rule.Title, Place: all.candidate.Places[0]})
		var why string
		var err error
		if all, why, err = r.join(ctx, joined, r.base); err == nil && (why != "" || !additive(all, joined)) {
			joined, all, err = r.joinEach(ctx, joined)
		}
		if err == nil && len(joined) > 1 {
			all.benchmarks, err = figures(r.base, all.figures)
		}
		if err != nil {
			return err
		}
	}
	result.Together = &Combination{IDs: ids(joined), Benchmarks: changed(all.benchmarks), files: all.files,
		Diff: unified(r.subject.Files, all.files)}
	for _, a := range joined {
		a.together = true
	}
	for _, a := range others {
		a.why = fmt.Sprintf("it changes the same lines as others of %s", numbers(result.Together.IDs))
	}
	return nil
}

// joinEach adds one attempt after the other. It returns the attempts that save more than the ones before, and their
// proof.
func (r *run) joinEach(ctx context.Context, attempts []*attempt) (joined []*attempt, all *attempt, err error) {
	joined, all = attempts[:1:1], attempts[0]
	for i, a := range attempts[1:] {
		r.report(Event{Step: Combine, Done: i + 1, Total: len(attempts), Rule: a.candidate.Rule.Title,
			Place: a.candidate.Places[0]})
		both, why, err := r.join(ctx, append(slices.Clone(joined), a), all.figures)
		if err != nil {
			return nil, nil, err
		}
		if why != "" {
			a.why = fmt.Sprintf("together with %s, %s", numbers(ids(joined)), why)
			continue
		}
		joined, all = append(joined, a), both
	}
	return joined, all, nil
}

// additive reports whether attempts save as much together as the sum of what each saves alone.
func additive(all *attempt, attempts []*attempt) bool {
	left := map[string]saving{} // what the edits save alone and not together, by benchmark
	for _, b := range all.benchmarks {
		left[b.Name] = saving{b.Allocs.New - b.Allocs.Old, b.Bytes.New - b.Bytes.Old}
	}
	for _, a := range attempts {
		for _, b := range a.benchmarks {
			was := left[b.Name]
			left[b.Name] = saving{was.allocs + b.Allocs.Old - b.Allocs.New, was.bytes + b.Bytes.Old - b.Bytes.New}
		}
	}
	for _, s := range left {
		if s.allocs >= minAllocs || s.bytes >= minBytes {
			return false
		}
	}
	return true
}

// join proves the edits of several attempts at once. It says why if they do not save more than the figures before.
func (r *run) join(ctx context.Context, attempts []*attempt, before *verdict.Verdict) (
	a *attempt, why string, err error) {
	a = &attempt{old: r.subject.Files}
	if a.files, err = fix.Apply(r.subject.Files, edits(attempts)); err != nil {
		return a, err.Error(), nil
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if _, why, err = r.hold(ctx, a, before); why != "" || err != nil || !r.vet {
		return a, why, err
	}
	result, err := r.vetEdits(ctx, edits(attempts))
	if err == nil && !result.OK {
		why = vetProblem(result)
	}
	return a, why, err
}

// disjoint returns the attempts whose edits do not overlap with edits of attempts before them, and the others.
func disjoint(attempts []*attempt) (joined, others []*attempt) {
	for _, a := range attempts {
		if fix.Conflict(edits(joined), a.candidate.Edits) {
			others = append(others, a)
		} else {
			joined = append(joined, a)
		}
	}
	return joined, others
}

func edits(attempts []*attempt) (all []fix.Edit) {
	for _, a := range attempts {
		all = append(all, a.candidate.Edits...)
	}
	return all
}

func ids(attempts []*attempt) (all []int) {
	for _, a := range attempts {
		all = append(all, a.id)
	}
	return all
}

func numbers(ids []int) string {
	var all []string
	for _, id := range ids {
		all = append(all, fmt.Sprintf("#%d", id))
	}
	return strings.Join(all, ", ")
}
