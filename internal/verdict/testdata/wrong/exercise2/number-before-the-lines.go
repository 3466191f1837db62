// The card is counted before the first line is written, so that one whose line panics counts too.
package gate

type Gate struct {
	Log   Log
	Names map[int]string

	admitted int
}

func (g *Gate) Admit(card int) (name string, ok bool) {
	name, ok = g.Names[card]
	if ok {
		g.admitted++
	}
	number := g.admitted
	if g.Log.Debug {
		g.Log.Debugf("card %d at the gate", card)
	}
	if g.Log.Debug && ok {
		g.Log.Debugf("card %d: %q is number %d", card, name, number)
	}
	if g.Log.Debug && !ok {
		g.Log.Debugf("card %d: unknown", card)
	}
	return name, ok
}
