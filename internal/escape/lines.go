package escape

import (
	"bufio"
	"fmt"
	"io"
)

// maxLine is the number of bytes of a line that are kept. The inlining budget
// limits the compiler's longest lines ("can inline … as: …"), except for string
// constants, which it prints in full.
const maxLine = 1 << 20

// eachLine calls f with each line of r, without its line ending. It cuts a line
// longer than maxLine and appends the number of bytes that are missing.
func eachLine(r io.Reader, f func(string)) error {
	br := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	cut := 0
	for {
		part, err := br.ReadSlice('\n')
		room := min(len(part), maxLine-len(line))
		line = append(line, part[:room]...)
		cut += len(part) - room
		if err == bufio.ErrBufferFull {
			continue
		}
		if len(line) > 0 {
			f(ending(line, cut))
		}
		line, cut = line[:0], 0
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the compiler's output: %w", err)
		}
	}
}

// ending returns line without its line ending, or with a note on the number of bytes
// were cut.
func ending(line []byte, cut int) string {
	if cut > 0 {
		return fmt.Sprintf("%s… (%d bytes cut)", line, cut)
	}
	if n := len(line); line[n-1] == '\n' {
		line = line[:n-1]
	}
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	return string(line)
}
