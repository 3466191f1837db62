package main

func Example() {
	main()
	// Output:
	// 1 2 3 4 5
}
