package main

func Example() {
	main()
	// Output:
	// Sprintf:        3 allocs
	// EncodeToString: 2 allocs
	// AppendEncode:   0 allocs
}
