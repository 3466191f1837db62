package site

import (
	"slices"
	"testing"

	"onthestack/internal/exercise"
)

// TestPlans reads the plans of the site, and looks their exercises up.
func TestPlans(t *testing.T) {
	plans, err := Plans()
	if err != nil {
		t.Fatal(err)
	}
	catalog, err := exercise.Sealed()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range plans {
		names = append(names, p.Name)
		if p.Title == "" || len(p.Exercises) == 0 {
			t.Errorf("%+v", p)
		}
		for i, id := range p.Exercises {
			if catalog.Lookup(id) == nil || slices.Contains(p.Exercises[:i], id) {
				t.Errorf("%s: %q is no exercise, or is there twice", p.Name, id)
			}
		}
	}
	if !slices.Equal(names, []string{"half-day", "full-day"}) {
		t.Fatalf("plans: %q", names)
	}
	half, full := plans[0].Exercises, plans[1].Exercises
	if !slices.Equal(half, []string{"exercise6", "exercise7"}) {
		t.Errorf("half a day has %q", half)
	}
	if len(full) <= len(half) || !slices.Equal(full[:len(half)], half) {
		t.Errorf("a full day has %q, which does not begin with the half day's %q", full, half)
	}
}

// TestExercises reads small plans.
func TestExercises(t *testing.T) {
	texts := map[string]string{
		"morning": "{{< block title=\"One\" >}}\n**Do** [exercise 6](/exercises/exercise6/), then " +
			"[7](/exercises/exercise7/).\nA [mistake](/exercises/exercise9/?try=box), and [all](/exercises/).\n",
		"day": "{{< block title=\"Two\" >}}[3](/exercises/exercise3/)\n" +
			"{{< block title=\"The morning\" from=\"morning\" >}}\n[6](/exercises/exercise6/) [12](/exercises/exercise12/)\n",
		"circle": `{{< block title="Again" from="circle" >}}`,
		"broken": `{{< block title="Again" from="evening" >}}`,
	}
	for name, want := range map[string][]string{
		"morning": {"exercise6", "exercise7"}, "day": {"exercise3", "exercise6", "exercise7", "exercise12"},
	} {
		if got, err := exercises(texts, name, 0); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"circle", "broken", "none"} {
		if got, err := exercises(texts, name, 0); err == nil {
			t.Errorf("%s: %q, and no error", name, got)
		}
	}
}
