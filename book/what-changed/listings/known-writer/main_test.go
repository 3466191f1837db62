package main

func Example() {
	main()
	// Output:
	// 120 0 allocs
}
