package main

func Example() {
	main()
	// Output:
	// AsType: 0 allocs
}
