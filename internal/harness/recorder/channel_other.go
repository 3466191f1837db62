//go:build !wasm

package recorder

// Sent receives each message on platforms other than WebAssembly, where only tests run a recorder.
var Sent = func([]byte) {}

func send(p []byte) { Sent(p) }
