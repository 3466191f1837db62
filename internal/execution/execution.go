// Package execution has what describes the end of a build or a run: the limit that stopped it (Stop), and what a program printed
// (Log, Event), as far as its limit on output goes (Meter). The checker, the playground, the sandbox and the engine of a page share it,
// so it imports none of them, does no I/O, and builds for js/wasm.
package execution
