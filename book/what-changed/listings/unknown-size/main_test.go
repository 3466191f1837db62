package main

func Example() {
	main()
	// Output:
	// 4539578763621486 true 0 allocs
	// 4539578763621487 false 0 allocs
}
