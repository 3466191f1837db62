package heapprofile

import "testing"

// LimitData lowers the limit on decompressed data for a test.
func LimitData(t *testing.T, limit int64) {
	was := maxData
	t.Cleanup(func() { maxData = was })
	maxData = limit
}
