package main

func Example() {
	main()
	// Output:
	// 15 bytes: 0 allocs with <, 0 with <=
	// 16 bytes: 1 allocs with <, 0 with <=
	// 17 bytes: 1 allocs with <, 1 with <=
}
