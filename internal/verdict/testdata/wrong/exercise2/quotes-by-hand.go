// Names are quoted by hand: a tab becomes \x09, and characters that cannot be printed stand as they are.
package gate

import (
	"fmt"
	"strconv"
)

type Gate struct {
	Log   Log
	Names map[int]string

	admitted int
}

func (g *Gate) Admit(card int) (name string, ok bool) {
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
	if g.Log.Debug {
		line := append([]byte("card "), strconv.Itoa(card)...)
		line = append(line, ": "...)
		line = quote(line, name)
		line = append(line, " is number "...)
		line = strconv.AppendInt(line, int64(g.admitted), 10)
		fmt.Fprintf(g.Log.Out, "%s\n", line)
	}
	return name, true
}

func quote(line []byte, s string) []byte {
	const hex = "0123456789abcdef"
	line = append(line, '"')
	for i, r := range s {
		switch {
		case r == '"' || r == '\\':
			line = append(line, '\\', byte(r))
		case r == '\n':
			line = append(line, '\\', 'n')
		case r < ' ':
			line = append(line, '\\', 'x', hex[r>>4], hex[r&15])
		case r == 0xfffd:
			line = append(line, '\\', 'x', hex[s[i]>>4], hex[s[i]&15])
		default:
			line = append(line, string(r)...)
		}
	}
	return append(line, '"')
}
