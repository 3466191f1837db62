package printable_test

import (
	"fmt"

	"onthestack/internal/printable"
)

// A program prints a command for GitHub Actions and turns its text red.
func ExampleText() {
	fmt.Println(printable.Text("::error::\x1b[31mstop"))
	// Output: : :error::�[31mstop
}
