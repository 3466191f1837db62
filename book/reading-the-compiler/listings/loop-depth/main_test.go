package main

func Example() {
	main()
	// Output:
	// 12 4 allocs
}
