package main

func Example() {
	main()
	// Output:
	// 07:58 lock 1 opened with ***** by card 88
	// 08:01 lock 3 refused 31***** 3141 31425
	// 08:09 lock 2 opened with ********** twice
	// 08:15 lock 1 refused 3141
}
