package main

func Example() {
	main()
	// Output:
	// Sorted:    8 allocs
	// AppendSeq: 1 allocs
}
