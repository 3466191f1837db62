package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// tallyName is the file of a tally, in the folder of the embedded server.
const tallyName = "stored"

// A tally records in a file how many events are stored. The NATS server silently leaves out a damaged part of its
// files: only a comparison with the tally shows that events are missing. The file is not synced to disk with each
// event, so after a power failure it may be behind, and never ahead. A nil tally, of a cluster, records nothing.
type tally struct {
	mu     sync.Mutex
	file   *os.File
	last   uint64 // number of the last event
	events uint64 // how many there are, at least
}

// openTally opens the tally in a folder, and compares it with the stream.
func openTally(dir string, state jetstream.StreamState) (*tally, error) {
	name := filepath.Join(dir, tallyName)
	var last, events uint64
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// A file that cannot be read as numbers was being written when the power failed.
	if _, err := fmt.Sscanf(string(text), "last %d events %d\n", &last, &events); err == nil {
		if state.LastSeq < last || state.Msgs < events {
			return nil, fmt.Errorf("the files are damaged, and %d of %d events are missing: %s; "+
				"to go on with what is left, remove %s",
				max(last-min(last, state.LastSeq), events-min(events, state.Msgs)), events, restore, name)
		}
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	t := &tally{file: file, last: state.LastSeq, events: state.Msgs}
	return t, t.write()
}

// add counts an event.
func (t *tally) add(sequence uint64) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = max(t.last, sequence)
	t.events++
	return t.write()
}

// set records how many events there are after some were removed, or 0 before some are.
func (t *tally) set(events uint64) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.events = events
	return t.write()
}

func (t *tally) write() error {
	_, err := t.file.WriteAt(fmt.Appendf(nil, "last %020d events %020d\n", t.last, t.events), 0)
	if err != nil {
		return fmt.Errorf("count the events: %w", err)
	}
	return nil
}

func (t *tally) close() {
	if t != nil {
		t.file.Close()
	}
}
