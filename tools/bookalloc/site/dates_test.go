package site

import (
	"os"
	"testing"
	"time"

	"onthestack/internal/bookdata"
)

func TestDates(t *testing.T) {
	h, err := bookdata.ReadHistory(os.DirFS("../../../book"))
	if err != nil {
		t.Fatal(err)
	}
	var before time.Time
	for _, release := range h.Names() {
		date, err := time.Parse(time.DateOnly, dates[release])
		if err != nil || !date.After(before) {
			t.Errorf("%s: its date %q does not follow %s: see dates.go", release, dates[release],
				before.Format(time.DateOnly))
		}
		before = date
	}
}
