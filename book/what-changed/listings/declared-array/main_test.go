package main

func Example() {
	main()
	// Output:
	// 8 1 allocs
}
