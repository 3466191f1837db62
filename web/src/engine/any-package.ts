// A package to compile in vain. A browser makes machine code of a WebAssembly function when it is first called, and of the compiler
// that is a second's work. A worker that compiles this while the other parts are on their way has done half of it by then: workers
// of a page share what is made of a module.

import type { Disk } from "./disk.ts";

export const ANY_FOLDER = "/any";

/** It needs no other package, and has some of what packages have. */
const SOURCE = `package any

type list struct {
	next *list
	text []byte
	size int
}

func (l *list) add(s string, n int) (out []byte, ok bool) {
	for i := range s {
		switch c := s[i]; {
		case c > 'a' && n > 0:
			l.text = append(l.text, c)
			continue
		default:
			n += int(c) * 3
		}
	}
	m := map[string]*list{s: l}
	if m[s] == nil || l.next != nil {
		panic("any")
	}
	var v any = l
	if w, is := v.(*list); is {
		f := func() int { return w.size + n }
		l.size = f()
	}
	out = make([]byte, n)
	copy(out, l.text)
	return out[:len(s)], string(out) == s
}
`;

/** Lays it down and gives the compiler's arguments. */
export function layAny(disk: Disk): string[] {
  disk.write(`${ANY_FOLDER}/any.go`, new TextEncoder().encode(SOURCE));
  disk.write(`${ANY_FOLDER}/importcfg`, new Uint8Array());
  const flags = ["-p", "any", "-complete", "-dwarf=false", "-c=1", "-m=2"];
  return ["-o", `${ANY_FOLDER}/any.a`, ...flags, "-importcfg", `${ANY_FOLDER}/importcfg`, "-pack", "./any.go"];
}
