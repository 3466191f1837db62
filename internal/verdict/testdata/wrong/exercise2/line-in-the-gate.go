// Lines are put together in the gate: an output that admits somebody changes the line that it has.
package gate

import "strconv"

type Gate struct {
	Log   Log
	Names map[int]string

	admitted int
	line     []byte
}

func (g *Gate) Admit(card int) (name string, ok bool) {
	if g.Log.Debug {
		g.begin(card)
		g.line = append(g.line, " at the gate"...)
		g.write()
	}
	name, ok = g.Names[card]
	if !ok {
		if g.Log.Debug {
			g.begin(card)
			g.line = append(g.line, ": unknown"...)
			g.write()
		}
		return "", false
	}
	g.admitted++
	if g.Log.Debug {
		g.begin(card)
		g.line = append(g.line, ": "...)
		g.line = strconv.AppendQuote(g.line, name)
		g.line = append(g.line, " is number "...)
		g.line = strconv.AppendInt(g.line, int64(g.admitted), 10)
		g.write()
	}
	return name, true
}

func (g *Gate) begin(card int) {
	g.line = append(g.line[:0], "card "...)
	g.line = strconv.AppendInt(g.line, int64(card), 10)
}

func (g *Gate) write() {
	g.line = append(g.line, '\n')
	g.Log.Out.Write(g.line)
}
