package main

func Example() {
	main()
	// Output:
	// CALL report('all is well', 7) <nil>
	// CALL report('it\'s cold, -7°', 7) <nil>
	// CALL report('\', 0); DROP TABLE notes; --', 7) <nil>
	// driver.ErrSkip: true
}
