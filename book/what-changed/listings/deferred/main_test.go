package main

func Example() {
	main()
	// Output:
	// one defer:       0 allocs
	// three in a loop: 3 allocs
}
