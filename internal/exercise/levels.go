package exercise

import (
	"slices"
	"strings"
)

// A Level says how difficult an exercise is. The workbook offers its exercises level by level.
type Level struct {
	ID      string `json:"id"`      // "warm-up": what a manifest says
	Name    string `json:"name"`    // "Warm-ups"
	Meaning string `json:"meaning"` // one sentence
}

// Levels are all levels, the easiest first.
var Levels = []Level{
	{"warm-up", "Warm-ups", "One line of a short program allocates, and a few words of Go stop it."},
	{"easy", "Easy", "The report names the cause, and the change is within one function or one type."},
	{"medium", "Medium", "Several causes come together, or the change reaches through several functions."},
	{"hard", "Hard", "Memory is kept and used again, and the tests check who may see it and when."},
	{"capstone", "Capstone", "Everything at once: another algorithm, and all that the other exercises teach."},
}

// levelIndex returns the position of a level in Levels, or their number for an unknown one, so that exercises without a
// level come last.
func levelIndex(id string) int {
	if i := slices.IndexFunc(Levels, func(l Level) bool { return l.ID == id }); i >= 0 {
		return i
	}
	return len(Levels)
}

// levelIDs lists the levels for an error.
func levelIDs() string {
	var ids []string
	for _, l := range Levels {
		ids = append(ids, l.ID)
	}
	return strings.Join(ids, ", ")
}

// LevelName returns the name of the exercise's level, "Other exercises" if it has none.
func (e *Exercise) LevelName() string {
	if i := levelIndex(e.Level); i < len(Levels) {
		return Levels[i].Name
	}
	return "Other exercises"
}
