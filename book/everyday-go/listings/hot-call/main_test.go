package main

func Example() {
	main()
	// Output:
	// busy: 0 allocs
	// idle: 4 allocs
}
