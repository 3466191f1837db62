package main

func Example() {
	main()
	// Output:
	// errors.New: 1 allocs
	// fmt.Errorf: 1 allocs
}
