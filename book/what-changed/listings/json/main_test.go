package main

func Example() {
	main()
	// Output:
	// [{hall 120 true} {attic 3 false}] <nil>
	// [{"Room":"hall","Lux":120,"Lamp":true},{"Room":"attic","Lux":3,"Lamp":false}] <nil>
}
