// Package fields has one record in three orders of its fields.
package fields

// A Watcher is who saw it.
type Watcher struct {
	Name string
}

// ANCHOR: loose

// A Loose sighting has its fields as they came to mind.
type Loose struct {
	Heard   bool
	Bird    string
	Certain bool
	Seen    int64 // Unix time
	Count   uint16
	By      *Watcher
}

// ANCHOR_END: loose

// ANCHOR: tidy

// A Tidy sighting has one of them moved: both bools are together.
type Tidy struct {
	Heard   bool
	Certain bool
	Bird    string
	Seen    int64
	Count   uint16
	By      *Watcher
}

// A Tight sighting has the large ones first.
type Tight struct {
	Bird    string
	Seen    int64
	By      *Watcher
	Count   uint16
	Heard   bool
	Certain bool
}

// ANCHOR_END: tidy

var (
	loose *Loose
	tidy  *Tidy
	tight *Tight
)

// NewLoose allocates a Loose sighting.
func NewLoose() { loose = new(Loose) }

// NewTidy allocates a Tidy sighting.
func NewTidy() { tidy = new(Tidy) }

// NewTight allocates a Tight sighting.
func NewTight() { tight = new(Tight) }
