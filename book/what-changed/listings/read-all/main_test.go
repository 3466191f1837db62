package main

func Example() {
	main()
	// Output: 10000 <nil>
}
