package main

func Example() {
	main()
	// Output:
	// Good morning, Ada to the window 3 [42] 0 0
}
