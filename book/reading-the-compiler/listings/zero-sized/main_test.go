package main

func Example() {
	main()
	// Output:
	// 2 0 allocs
}
