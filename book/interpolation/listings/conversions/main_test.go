package main

func Example() {
	main()
	// Output:
	// range over []byte(text)  0 allocs
	// append(buf, text...)     0 allocs
	// []byte(text), only read  0 allocs
	// []byte(text), changed    1 allocs
	// string(data), only read  1 allocs
	// the same, 32 bytes       0 allocs
	// string(data) == text     0 allocs
	// names[string(data)]      0 allocs
}
