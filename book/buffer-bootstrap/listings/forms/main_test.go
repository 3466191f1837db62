package main

func Example() {
	main()
	// Output:
	// l.text = l.text[1:]                0
	// l.text = l.room[:0]                0
	// l.text, l.spare = l.spare, l.text  0
	// t := l.text; l.text = t[1:]        1
	// l.text = rest(l.text)              1
	// l.text = append(l.text, '!')       1
	// l.text = l.text[1:][1:]            1
	// l.in.text = l.in.text[1:]          1
}
