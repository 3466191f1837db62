package main

import (
	"errors"
	"sync"
)

// maxUnread bounds what a client may leave unread of its answers, in bytes: a program's output makes an answer of up to 6 MiB, and
// a connection on which nothing is read holds it for writeTime.
const maxUnread = 16 << 20

// errUnread is why a client is refused that leaves more than that unread.
var errUnread = errors.New("too much is unread")

// unread counts, by client, the bytes of answers that are being sent. Its zero value has none.
type unread struct {
	mu    sync.Mutex
	bytes map[string]int
}

// send counts an answer of n bytes while do sends it.
func (u *unread) send(client string, n int, do func()) {
	u.add(client, n)
	defer u.add(client, -n)
	do()
}

func (u *unread) add(client string, n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.bytes == nil {
		u.bytes = map[string]int{}
	}
	if u.bytes[client] += n; u.bytes[client] == 0 {
		delete(u.bytes, client)
	}
}

// check returns errUnread where the client is to read first what it asked for before.
func (u *unread) check(client string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.bytes[client] > maxUnread {
		return errUnread
	}
	return nil
}
