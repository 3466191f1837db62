package main

func Example() {
	main()
	// Output:
	// a method of *bytes.Buffer:        0 allocs
	// an io.Reader the compiler sees:   0 allocs
	// an io.Reader handed to ReadFull:  1 allocs
}
