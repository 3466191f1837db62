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
	g.Log.Debugf("card %d at the gate", card)
	name, ok = g.Names[card]
	if !ok {
		g.Log.Debugf("card %d: unknown", card)
		return "", false
	}
	g.admitted++
	g.Log.Debugf("card %d: %q is number %d", card, name, g.admitted)
	return name, true
}
