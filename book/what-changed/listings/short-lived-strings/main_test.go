package main

func Example() {
	main()
	// Output:
	// as a key: 0 allocs
	// compared: 0 allocs
	// joined: 1 allocs
}
