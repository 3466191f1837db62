// Command newbuffer-steps makes a buffer by a call that is inlined, and another by a call that is not.
package main

import "bytes"

//go:noinline
func newBuffer(data []byte) *bytes.Buffer {
	return bytes.NewBuffer(data)
}

func main() {
	data := []byte("my PIN is 1234")
	inlined := bytes.NewBuffer(data)
	called := newBuffer(data)
	println(inlined.Len(), called.Len())
}
