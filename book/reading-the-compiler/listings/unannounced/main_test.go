package main

func Example() {
	main()
	// Output:
	// make    0 allocs, then 1
	// append  0 allocs, then 1
	// map     0 allocs, then 3
	// a + b   0 allocs, then 1
	// string  0 allocs, then 1
	// []rune  0 allocs, then 1
}
