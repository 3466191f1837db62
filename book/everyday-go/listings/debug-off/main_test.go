package main

func Example() {
	main()
	// Output:
	// Debug:    3 allocs
	// debugf:   3 allocs
	// LogAttrs: 0 allocs
	// Enabled:  0 allocs
}
