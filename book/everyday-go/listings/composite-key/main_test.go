package main

func Example() {
	main()
	// Output:
	// Sprintf: 3 allocs
	// joined:  2 allocs
	// struct:  0 allocs
}
