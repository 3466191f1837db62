package suggest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"onthestack/internal/owncode/suggest/fix"
	"onthestack/internal/owncode/userpkg"
	"onthestack/internal/safefile"
	"onthestack/internal/verdict"
)

// combine tries what is proven together, as far as it does not overlap. It adds one edit after the other, the largest
// gain first, and drops what then saves nothing more.
func (r *run) combine(ctx context.Context, result *Result, attempts []*attempt) error {
	proven := slices.DeleteFunc(slices.Clone(attempts), func(a *attempt) bool { return a.Outcome != Proven })
	if len(proven) == 0 {
		return nil
	}
	slices.SortStableFunc(proven, func(a, b *attempt) int { return gain(b.Benchmarks).compare(gain(a.Benchmarks)) })
	proven, others := r.disjoint(proven)
	joined, all := proven[:1:1], proven[0]
	for i, a := range proven[1:] {
		r.report(a.event(Combine, i+1, len(proven)))
		both, err := r.join(ctx, append(slices.Clone(joined), a), all.figures)
		if errors.As(err, new(*refusal)) {
			a.Why = fmt.Sprintf("together with %s, %v", Numbers(ids(joined)), err)
		} else if err != nil {
			return err
		} else {
			joined, all = append(joined, a), both
		}
	}
	if len(joined) > 1 {
		benchmarks, err := figures(r.base, all.figures)
		if err != nil {
			return err
		}
		all.Benchmarks = changed(benchmarks)
	}
	result.Together = &Combination{IDs: ids(joined), Benchmarks: all.Benchmarks, Files: all.Files,
		Diff: unified(r.subject.Texts, all.Files)}
	for _, a := range joined {
		a.Together = true
	}
	for _, a := range others {
		a.Why = fmt.Sprintf("it changes the same lines as others of %s", Numbers(result.Together.IDs))
	}
	return nil
}

// join proves the edits of several attempts at once. The error is a refusal if they do not save more than the figures
// before.
func (r *run) join(ctx context.Context, attempts []*attempt, before *verdict.Verdict) (a *attempt, err error) {
	a = &attempt{candidate: fix.Candidate{Edits: edits(attempts)}}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := r.prove(ctx, a, before); err != nil || !r.vet {
		return a, err
	}
	return a, r.vetEdits(ctx, a.candidate.Edits)
}

// disjoint returns the attempts whose edits overlap with no edit of an attempt before them, and the others.
func (r *run) disjoint(attempts []*attempt) (joined, others []*attempt) {
	for _, a := range attempts {
		if _, err := fix.Apply(r.subject.Texts, append(edits(joined), a.candidate.Edits...)); err != nil {
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
		all = append(all, a.ID)
	}
	return all
}

// Numbers lists suggestions: "#1, #2".
func Numbers(ids []int) string {
	var all []string
	for _, id := range ids {
		all = append(all, fmt.Sprintf("#%d", id))
	}
	return strings.Join(all, ", ")
}

// Write puts the new text of files into the folder of the package that was measured. It writes nothing if a file has
// changed since it was measured. Each file is replaced at once.
func Write(p *userpkg.Package, files map[string][]byte) error {
	if p.Copied() {
		return fmt.Errorf("%s is in the module cache, where nothing can be written: apply the diff to a copy "+
			"of the module", p.ImportPath)
	}
	modes := map[string]os.FileMode{}
	paths := map[string]string{}
	for name := range files {
		path, err := filepath.EvalSymlinks(filepath.Join(p.Dir, name))
		text, err2 := os.ReadFile(path)
		info, err3 := os.Stat(path)
		if err := cmp.Or(err, err2, err3); err != nil {
			return fmt.Errorf("nothing was written: %w", err)
		}
		if !bytes.Equal(text, p.Texts[name]) {
			return fmt.Errorf("%s has changed since it was measured, so nothing was written: run suggest again", name)
		}
		paths[name], modes[name] = path, info.Mode().Perm()
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := safefile.Write(paths[name], files[name], modes[name]); err != nil {
			return err
		}
	}
	return nil
}
