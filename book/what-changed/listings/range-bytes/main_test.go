package main

func Example() {
	main()
	// Output:
	// 1 0 allocs
	// 3 0 allocs
}
