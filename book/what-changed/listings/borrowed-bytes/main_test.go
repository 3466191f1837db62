package main

func Example() {
	main()
	// Output:
	// 25433 0 allocs
}
