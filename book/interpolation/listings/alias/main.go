// Command alias shows what happens to a result that shares a borrowed buffer.
package main

import "fmt"

// ANCHOR: main

// A Conn puts together in send what it is going to send.
type Conn struct{ send []byte }

// Shared returns a greeting in the borrowed buffer itself.
func (c *Conn) Shared(name string) []byte {
	buf := append(c.send[:0], "hello, "...)
	buf = append(buf, name...)
	c.send = buf
	return buf
}

// Copied returns a greeting of its own.
func (c *Conn) Copied(name string) string {
	return string(c.Shared(name))
}

func main() {
	var conn Conn
	copied := conn.Copied("Ada")
	shared := conn.Shared("Ada")
	conn.Shared("Bob")
	fmt.Println(copied)
	fmt.Println(string(shared))
}

// ANCHOR_END: main
