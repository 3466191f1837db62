package main

func Example() {
	main()
	// Output:
	// 07:58 door 3 opened with card 88 by somebody: 1 allocs
}
