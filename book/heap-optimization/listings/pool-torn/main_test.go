package main

func Example() {
	main()
	// Output:
	// Warnemünde: suorm, stay at ho
}
