// The task: checkalloc task exercise2

// Package gate lets people in.
package gate

// A Gate knows whose card is whose.
type Gate struct {
	Log   Log
	Names map[int]string // by card

	admitted int
}

// Admit returns the name of a card's owner. ok is false if
// nobody has the card.
//
// If Log.Debug is true, Admit writes these lines to the log:
//
//	card 4788 at the gate
//	card 4788: "Ada" is number 17
//
// or, as the second one if nobody has the card,
//
//	card 4788: unknown
//
// The number counts all that were admitted, also while Debug
// was false.
func (g *Gate) Admit(card int) (name string, ok bool) {
	// Changed: Admit asks before it makes the arguments. Debugf asks the same, but its
	// arguments have to be in a []any by then: a box for the card, and with the name and
	// the number two more. Debugf hands them on to Fprintf, so they are on the heap.
	if g.Log.Debug {
		g.Log.Debugf("card %d at the gate", card)
	}
	name, ok = g.Names[card]
	if !ok {
		if g.Log.Debug {
			g.Log.Debugf("card %d: unknown", card)
		}
		return "", false
	}
	g.admitted++
	// Changed: all that the line needs is inside the if. An argument that is computed, such
	// as the String of something, would not be computed either.
	if g.Log.Debug {
		g.Log.Debugf("card %d: %q is number %d", card, name, g.admitted)
	}
	return name, true
	// The cost: two more lines for each line of the log. log/slog has LogAttrs for
	// this, whose arguments are not interfaces.
}
