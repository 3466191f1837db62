package main

func Example() {
	main()
	// Output:
	// 42 1 allocs
}
