package main

func Example() {
	main()
	// Output:
	// a word has 8 bytes
	// a slice header has 24
	// an interface has 16
	// it points to names: false
	// names has 4 birds, what it points to has 3
	// now it points to names: true
}
