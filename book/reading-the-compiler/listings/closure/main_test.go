package main

func Example() {
	main()
	// Output:
	// 2 2 allocs
}
