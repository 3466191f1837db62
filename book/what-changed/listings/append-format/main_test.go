package main

func Example() {
	main()
	// Output:
	// 2015-02-19 07:58:00 0 allocs
}
