package safefile_test

import (
	"fmt"
	"os"

	"onthestack/internal/safefile"
)

func ExampleRead() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	root.WriteFile("stream.go", []byte("package exercise6\n"), 0o600)
	root.Mkdir("tests", 0o700)
	for _, file := range []string{"stream.go", "tests"} {
		text, err := safefile.Read(root, file, "exercises/exercise6/"+file, 1<<20)
		fmt.Printf("%q %v\n", text, err)
	}
	// Output:
	// "package exercise6\n" <nil>
	// "" exercises/exercise6/tests is a folder, not a file: move it away
}
