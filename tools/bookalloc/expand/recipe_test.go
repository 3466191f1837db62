package expand

import (
	"reflect"
	"testing"
)

func TestRecipes(t *testing.T) {
	got, err := open(t).Recipes()
	want := []Recipe{{
		Page: "first/recipe.md", Title: "Know the length",
		Lead:   "A slice that is *not* made by `append` costs nothing here.",
		Terms:  []string{"append(s, x...)", "a < b"},
		Before: RecipeBenchmark{"first/listings/grow", ""},
		After:  RecipeBenchmark{"first/listings/still", "BenchmarkLong"},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, want)
	}

	const recipe = `{{#recipe first/listings/grow first/listings/still:BenchmarkLong "x"}}`
	const at = "book/first/page.md:"
	for _, test := range []struct{ text, want string }{
		{"# Title\n\n" + recipe,
			at + "3: " + recipe + ": write a paragraph without links between the page's heading and the recipe"},
		{"# Title\n\nSee [this](x.md).\n\n" + recipe,
			at + "5: " + recipe + ": write a paragraph without links between the page's heading and the recipe"},
		{"# Title\n\nText.\n\n" + recipe + "\n\n" + recipe,
			at + "7: " + recipe + ": the page has a recipe already: give this one its own page"},
	} {
		if _, err := open(t, test.text+"\n").Recipes(); message(err) != test.want {
			t.Errorf("%q:\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}

// TestRecipeWanted tests that the programs of a recipe are measured.
func TestRecipeWanted(t *testing.T) {
	const recipe = `{{#recipe first/listings/grow first/listings/still:BenchmarkLong "x"}}`
	w, err := open(t, "# T\n\nText.\n\n"+recipe+"\n\n{{#recipe}}\n").Wanted()
	if err != nil || len(w.Listings) != 2 || !w.Listings["first/listings/grow"] ||
		!w.Listings["first/listings/still"] {
		t.Errorf("got %v, %v", w.Listings, err)
	}
}
