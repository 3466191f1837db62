package heapprofile

import (
	"strings"
	"testing"
	"time"
)

// TestParsePer tests units with and without a number, and mistakes.
func TestParsePer(t *testing.T) {
	recorded := &Profile{Duration: 30 * time.Second}
	taken := &Profile{Taken: time.Unix(1000, 0)}
	before := &Profile{Taken: time.Unix(400, 0)}
	for _, test := range []struct {
		profile, base *Profile
		text          string
		want          Per
		mistake       string
	}{
		{recorded, nil, "requests=60000", Per{"requests", 60000}, ""},
		{recorded, nil, "seconds", Per{"seconds", 30}, ""},
		{recorded, nil, "seconds=2.5", Per{"seconds", 2.5}, ""},
		{taken, before, "seconds", Per{"seconds", 600}, ""},
		{taken, nil, "seconds", Per{}, "give seconds=N"},
		{recorded, nil, "requests", Per{}, "such as requests=60000"},
		{recorded, nil, "=3", Per{}, "such as requests=60000"},
		{recorded, nil, "requests=0", Per{}, "such as requests=60000"},
		{recorded, nil, "requests=Inf", Per{}, "such as requests=60000"},
		{recorded, nil, "requests=NaN", Per{}, "such as requests=60000"},
	} {
		per, err := test.profile.ParsePer(test.text, test.base)
		switch {
		case test.mistake != "":
			if err == nil || !strings.Contains(err.Error(), test.mistake) {
				t.Errorf("%s: %v, want %q", test.text, err, test.mistake)
			}
		case err != nil || *per != test.want:
			t.Errorf("%s: %v, %v", test.text, per, err)
		}
	}
	if per, err := recorded.ParsePer("", nil); per != nil || err != nil {
		t.Errorf("no unit: %v, %v", per, err)
	}
}
