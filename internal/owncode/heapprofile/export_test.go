package heapprofile

import "testing"

// Limit lowers the limits on decompressed and on decoded data for a test.
func Limit(t *testing.T, data, decoded int64) {
	wasData, wasDecoded := maxData, maxDecoded
	t.Cleanup(func() { maxData, maxDecoded = wasData, wasDecoded })
	maxData, maxDecoded = data, decoded
}

// Called returns the function of the runtime that is called at each location of a profile.
func Called(b *Binary, p *Profile) (names []string) {
	for _, l := range p.data.Location {
		names = append(names, b.called(l))
	}
	return names
}
