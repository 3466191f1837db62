package main

func Example() {
	main()
	// Output:
	// 1 allocs
	// 1 allocs
}
