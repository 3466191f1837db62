package archive_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	archive "onthestack/book/heap-optimization/listings/cold-append"
)

func TestName(t *testing.T) {
	for _, content := range []string{"", "07:58 roof 21.5", string(make([]byte, 1000))} {
		want := fmt.Sprintf("%x", sha256.Sum256([]byte(content)))
		if got := string(archive.AppendName([]byte("file "), []byte(content))); got != "file "+want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
