// Program large has variables larger than its memory.
package main

var x [1 << 30]byte

func main() { x[len(x)-1] = 1; println(x[len(x)-1]) }
