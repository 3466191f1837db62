package main

func Example() {
	main()
	// Output:
	// new([64 * KiB]byte)        0 allocs
	// new([64*KiB + 1]byte)      1 allocs
	// make([]byte, 0, 64*KiB)    0 allocs
	// make([]byte, 0, 64*KiB+1)  1 allocs
	// var a [128 * KiB]byte      0 allocs
	// var a [128*KiB + 1]byte    1 allocs
}
