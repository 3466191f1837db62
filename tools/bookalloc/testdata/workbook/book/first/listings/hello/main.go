// Command hello greets.
package main

import "fmt"

// ANCHOR: main
func main() {
	fmt.Println("<hello> & \"goodbye\"")
}

// ANCHOR_END: main
