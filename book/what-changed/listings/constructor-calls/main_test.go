package main

func Example() {
	main()
	// Output:
	// 478 0 allocs
}
