package main

func Example() {
	main()
	// Output:
	// 64 0 allocs
}
