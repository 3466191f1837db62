package main

func Example() {
	main()
	// Output:
	// 7: 0 allocs
	// 99: 0 allocs
	// 100: 1 allocs
}
