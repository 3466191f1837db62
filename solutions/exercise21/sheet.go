// The task: checkalloc task exercise21

// Package sheet writes the rows of a table as CSV.
package sheet

// AppendString appends a cell to row and returns the longer
// row, as append does. If row is not empty, a comma comes
// first.
func AppendString(row []byte, text string) []byte {
	return appendCell(row, text)
}

// AppendBytes is like AppendString for a text in bytes. It
// only reads the bytes, and keeps none of them. They must
// not be part of row's array.
func AppendBytes(row, text []byte) []byte {
	// Changed: string(text) copied the bytes for appendCell, which only reads them. The
	// compiler cannot leave out this copy. A string never changes, and nothing keeps
	// other code from changing the bytes while appendCell reads them.
	return appendCell(row, text)
}

// appendCell appends a cell, in quotes if its text is not
// plain. In quotes, a quote is written twice. All else
// stands as it is.
//
// Changed: text has a type parameter. A []byte and a string differ in their layout, so
// the compiler makes two functions of this one. An index, len and append work on both.
// range does not, because it yields bytes of the one and runes of the other.
//
// It would also work the other way around: text as a []byte, and []byte(text) for a
// string. Since Go 1.22 this does not copy as long as the compiler can see that nothing
// changes or keeps the bytes. -m then says "zero-copy string->[]byte conversion". If
// appendCell passed the bytes to a method of an interface, the copy would be back.
func appendCell[T []byte | string](row []byte, text T) []byte {
	if len(row) > 0 {
		row = append(row, ',')
	}
	if plain(text) {
		return append(row, text...)
	}
	row = append(row, '"')
	for i := 0; i < len(text); i++ {
		if text[i] == '"' {
			row = append(row, '"')
		}
		row = append(row, text[i])
	}
	return append(row, '"')
	// The cost: each function that appendCell passes the text to must take both
	// kinds as well, or it brings the conversion back.
}

// plain reports whether text needs no quotes. An empty text
// needs them, and one with a comma, a quote or a line end.
//
// Changed: it takes what appendCell has.
func plain[T []byte | string](text T) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',', '"', '\r', '\n':
			return false
		}
	}
	return len(text) > 0
}
