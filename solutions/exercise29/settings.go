// The task: checkalloc task exercise29

// Package setting has the settings of a guest, which may
// change on any of the guest's devices.
package setting

// Settings are what a guest has chosen. Each value is a
// choice, the zero values too.
type Settings struct {
	Language string // "": as the browser says
	Alarm    int    // minutes after midnight
	Volume   int    // of the alarm, 0 for a silent one
	Light    int    // percent
	Heating  int    // degrees
	Towels   int    // a day
	Quiet    bool   // no calls at the door
}

// A Change is what the service sends to the other devices
// of a guest, as JSON. It has the settings that have
// changed, and no others: another device may have changed
// those at the same time.
//
// Unchanged: nil says that a setting has not changed, and a pointer to a zero that it is now
// zero. A plain int has one zero for both. With omitempty, an alarm at midnight would not be
// sent. Without it, a change of the volume would set the alarm to midnight.
type Change struct {
	Language *string `json:"language,omitempty"`
	Alarm    *int    `json:"alarm,omitempty"`
	Volume   *int    `json:"volume,omitempty"`
	Light    *int    `json:"light,omitempty"`
	Heating  *int    `json:"heating,omitempty"`
	Towels   *int    `json:"towels,omitempty"`
	Quiet    *bool   `json:"quiet,omitempty"`
}

// Diff returns the change from one version of the settings
// to the next one.
func Diff(from, to Settings) Change {
	// Unchanged: all seven pointers point into one variable, so they cost one allocation, of
	// 64 bytes. The compiler moves the parameter to the heap, a copy that is this call's own,
	// so that nobody else changes it later.
	var c Change
	if to.Language != from.Language {
		c.Language = &to.Language
	}
	if to.Alarm != from.Alarm {
		c.Alarm = &to.Alarm
	}
	if to.Volume != from.Volume {
		c.Volume = &to.Volume
	}
	if to.Light != from.Light {
		c.Light = &to.Light
	}
	if to.Heating != from.Heating {
		c.Heating = &to.Heating
	}
	if to.Towels != from.Towels {
		c.Towels = &to.Towels
	}
	if to.Quiet != from.Quiet {
		c.Quiet = &to.Quiet
	}
	return c
	// The cost of plain values would be the behavior, for one allocation less. If this one were
	// too many, a struct of a value and a bool in place of each pointer would keep both, with
	// omitzero and methods that write and read it as JSON.
}

// Apply returns the settings after a change that was
// received. Those that the change does not have stay as
// they are.
func (s Settings) Apply(c Change) Settings {
	if c.Language != nil {
		s.Language = *c.Language
	}
	if c.Alarm != nil {
		s.Alarm = *c.Alarm
	}
	if c.Volume != nil {
		s.Volume = *c.Volume
	}
	if c.Light != nil {
		s.Light = *c.Light
	}
	if c.Heating != nil {
		s.Heating = *c.Heating
	}
	if c.Towels != nil {
		s.Towels = *c.Towels
	}
	if c.Quiet != nil {
		s.Quiet = *c.Quiet
	}
	return s
}
