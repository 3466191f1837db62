package archive_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	archive "onthestack/book/heap-optimization/listings/cold-string"
)

func TestName(t *testing.T) {
	for _, content := range []string{"", "07:58 roof 21.5", string(make([]byte, 1000))} {
		want := fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
		if got := archive.Name([]byte(content)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
