package main

func Example() {
	main()
	// Output:
	// Make: 0 allocs true
}
