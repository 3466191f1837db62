package main

func Example() {
	main()
	// Output:
	// {3 0} 1 allocs
}
