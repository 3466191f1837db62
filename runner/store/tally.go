package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// A tally records in a file how many messages a stream has. The NATS server silently leaves out a damaged part of its
// files: only a comparison with the tally shows that messages are missing. The file is not synced to disk with each
// message, so after a power failure it may be behind, and never ahead. A nil tally, of a cluster, records nothing.
type tally struct {
	mu       sync.Mutex
	file     *os.File
	last     uint64 // number of the last message
	messages uint64 // how many there are, at least
}

// tallyOf has the names of the files of the tallies by stream, in the store's folder.
var tallyOf = map[string]string{
	roomStream: "stored", verdictStream: "stored-verdicts", snippetStream: "stored-snippets",
}

// openTally opens the tally of a stream, and compares it with the stream's state.
func (s *Store) openTally(stream string, state jetstream.StreamState) (*tally, error) {
	if s.embedded == nil {
		return nil, nil
	}
	name := filepath.Join(s.where, tallyOf[stream])
	var last, messages uint64
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// A file that cannot be read as numbers was being written when the power failed.
	if _, err := fmt.Sscanf(string(text), "last %d events %d\n", &last, &messages); err == nil {
		if state.LastSeq < last || state.Msgs < messages {
			return nil, fmt.Errorf("the files are damaged, and %d of %d messages of %s are missing: %s; "+
				"to continue with what is left, remove %s",
				max(last-min(last, state.LastSeq), messages-min(messages, state.Msgs)), messages, stream, restore, name)
		}
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	t := &tally{file: file, last: state.LastSeq, messages: state.Msgs}
	s.tallies = append(s.tallies, t)
	return t, t.write()
}

// add counts a message with this number.
func (t *tally) add(sequence uint64) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = max(t.last, sequence)
	t.messages++
	return t.write()
}

// set records how many messages there are after some were removed, or 0 before some are.
func (t *tally) set(messages uint64) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.messages = messages
	return t.write()
}

// reset records nothing, before the messages get other numbers.
func (t *tally) reset() error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last, t.messages = 0, 0
	return t.write()
}

func (t *tally) write() error {
	_, err := t.file.WriteAt(fmt.Appendf(nil, "last %020d events %020d\n", t.last, t.messages), 0)
	if err != nil {
		return fmt.Errorf("count the messages: %w", err)
	}
	return nil
}
