package main

func Example() {
	main()
	// Output:
	// 1042 1 allocs
}
