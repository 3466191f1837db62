package main

func Example() {
	main()
	// Output:
	// second: "open the door\n"
	// first:  "open the d"
}
