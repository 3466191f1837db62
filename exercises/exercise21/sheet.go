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
	return appendCell(row, string(text))
}

// appendCell appends a cell, in quotes if its text is not
// plain. In quotes, a quote is written twice. All else
// stands as it is.
func appendCell(row []byte, text string) []byte {
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
}

// plain reports whether text needs no quotes. An empty text
// needs them, and one with a comma, a quote or a line end.
func plain(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',', '"', '\r', '\n':
			return false
		}
	}
	return text != ""
}
