// Debug is read once, and a line is written after the output has switched it off.
package gate

import "fmt"

type Gate struct {
	Log   Log
	Names map[int]string

	admitted int
}

func (g *Gate) Admit(card int) (name string, ok bool) {
	debug := g.Log.Debug
	if debug {
		fmt.Fprintf(g.Log.Out, "card %d at the gate\n", card)
	}
	name, ok = g.Names[card]
	if ok {
		g.admitted++
	}
	if debug {
		if ok {
			fmt.Fprintf(g.Log.Out, "card %d: %q is number %d\n", card, name, g.admitted)
		} else {
			fmt.Fprintf(g.Log.Out, "card %d: unknown\n", card)
		}
	}
	return name, ok
}
