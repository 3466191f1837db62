package main

func Example() {
	main()
	// Output:
	// in the frame: moved true collected true
	// in its owner: moved false collected false
}
