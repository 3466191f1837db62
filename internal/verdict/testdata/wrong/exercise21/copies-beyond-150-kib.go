// Bytes of more than 150 KiB are converted to a string, which allocates.
// want: benchmark
package sheet

func AppendString(row []byte, text string) []byte { return appendCell(row, text) }

func AppendBytes(row, text []byte) []byte {
	if len(text) > 150<<10 {
		return appendCell(row, string(text))
	}
	return appendCell(row, text)
}

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
}

func plain[T []byte | string](text T) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ',', '"', '\r', '\n':
			return false
		}
	}
	return len(text) > 0
}
