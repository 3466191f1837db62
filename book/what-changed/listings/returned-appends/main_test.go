package main

func Example() {
	main()
	// Output:
	// 07:58,door 3 [0 5 6 12] 1 allocs
	// 07:58,door 3,card 88 [0 5 6 12 13 20] 1 allocs
}
