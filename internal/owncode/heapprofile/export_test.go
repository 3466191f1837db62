package heapprofile

import "testing"

// Limit lowers the limits on decompressed and on decoded data for a test.
func Limit(t *testing.T, data, decoded int64) {
	wasData, wasDecoded := maxData, maxDecoded
	t.Cleanup(func() { maxData, maxDecoded = wasData, wasDecoded })
	maxData, maxDecoded = data, decoded
}
