package api

import (
	"errors"
	"sync"
)

// maxUnsent bounds the bytes of answers that a client has requested and does not read. A program's output makes an
// answer of up to 6 MiB, and a connection on which the client reads nothing holds it for writeTime.
const maxUnsent = 16 << 20

// errUnsent refuses the request of a client that has more than maxUnsent to read.
var errUnsent = errors.New("the client does not read its answers")

// unsent counts, by client, the bytes of the answers that are being sent. The zero value is ready to use.
type unsent struct {
	mu    sync.Mutex
	bytes map[string]int
}

// add adds n bytes to the client's count, or removes them if n is negative.
func (u *unsent) add(client string, n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.bytes == nil {
		u.bytes = map[string]int{}
	}
	if u.bytes[client] += n; u.bytes[client] == 0 {
		delete(u.bytes, client)
	}
}

// check returns errUnsent if the client must read earlier answers first.
func (u *unsent) check(client string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.bytes[client] > maxUnsent {
		return errUnsent
	}
	return nil
}
