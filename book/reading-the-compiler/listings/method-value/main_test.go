package main

func Example() {
	main()
	// Output:
	// 2005 1 allocs 0 allocs
}
