// The package that warms up the compiler. A browser compiles a WebAssembly function to machine code when it is first
// called, which takes about a second for Go's compiler. Workers of a page share this machine code. A second worker
// compiles this package while the other parts are being fetched, and so has done half of that work when the first task
// comes.

import type { Compilation } from "./protocol.ts";

/** The package imports nothing and uses many features of the language. */
const SOURCE = `package warmup

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
		panic("warmup")
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

/** Returns the package and the compiler's arguments. */
export function warmup(): Compilation {
  const cwd = "/warmup";
  const files = [
    { name: `${cwd}/warmup.go`, bytes: new TextEncoder().encode(SOURCE) },
    { name: `${cwd}/importcfg`, bytes: new Uint8Array() },
  ];
  const names = ["-o", `${cwd}/warmup.a`, "-importcfg", `${cwd}/importcfg`];
  const args = [...names, "-p", "warmup", "-complete", "-dwarf=false", "-c=1", "-m=2", "-pack", "./warmup.go"];
  return { cwd, args, files };
}
