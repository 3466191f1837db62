package main

func Example() {
	main()
	// Output:
	// 5 4 4
}
