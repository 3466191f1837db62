package main

func Example() {
	main()
	// Output:
	// 0 allocs
}
