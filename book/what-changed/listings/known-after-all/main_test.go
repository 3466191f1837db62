package main

func Example() {
	main()
	// Output:
	// 4 0 allocs
}
