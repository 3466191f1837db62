package main

func Example() {
	main()
	// Output:
	// 1 2 allocs
}
