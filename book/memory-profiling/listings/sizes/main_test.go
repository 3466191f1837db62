package main

func Example() {
	main()
	// Output:
	// 5 bytes: 0 allocs
	// 32 bytes: 0 allocs
	// 33 bytes: 1 allocs
	// 64 bytes: 1 allocs
}
