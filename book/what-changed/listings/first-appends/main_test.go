package main

func Example() {
	main()
	// Output:
	// 07:58,door 3 6 0 allocs
	// 07:58,door 3,card 88 7 1 allocs
}
