package app

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/rogpeppe/go-internal/diff"

	"onthestack/internal/exercise"
	"onthestack/internal/present"
	"onthestack/internal/printable"
)

// WriteDiff writes, with color, the differences between the reader's files of an exercise and its solution. Comments,
// blank lines and the blanks with which gofmt aligns make none, as on the page of the exercise.
func WriteDiff(out io.Writer, e *exercise.Exercise, yours map[string][]byte) {
	edited := map[string][]byte{}
	for _, name := range e.Edit {
		edited[name] = yours[name]
	}
	if exercise.Fingerprint(edited) == exercise.Fingerprint(e.Solution) {
		apart := ", apart from comments and white space"
		if maps.EqualFunc(edited, e.Solution, bytes.Equal) {
			apart = ""
		}
		fmt.Fprintf(out, "Your code is identical to the solution%s.\n", apart)
		return
	}
	for _, name := range e.Edit {
		writeFileDiff(out, name, codeLines(yours[name]), codeLines(e.Solution[name]))
	}
}

// writeFileDiff writes the difference between two files as a unified diff of their lines of code. The header of a hunk
// has the number of its first line in each file, without counts, because lines between have been left out.
func writeFileDiff(out io.Writer, name string, mine, theirs []codeLine) {
	write := func(style lipgloss.Style, line string) {
		fmt.Fprintln(out, style.Render(strings.ReplaceAll(printable.Clean(line), "\t", "    ")))
	}
	unified := diff.Diff("yours/"+name, codeOf(mine), "solution/"+name, codeOf(theirs))
	i, j := -1, -1 // the next lines; -1 before the first hunk
	for line := range strings.Lines(string(unified)) {
		var from, to, fromCount, toCount int
		_, err := fmt.Sscanf(line, "@@ -%d,%d +%d,%d @@", &from, &fromCount, &to, &toCount)
		switch {
		case err == nil:
			// A hunk that has no line of a file names the line before it.
			i, j = from-min(fromCount, 1), to-min(toCount, 1)
			write(lipgloss.NewStyle(), fmt.Sprintf("@@ -%d +%d @@", numberOf(mine, i), numberOf(theirs, j)))
		case i < 0:
			write(lipgloss.NewStyle(), strings.TrimSuffix(line, "\n"))
		case line[0] == '-':
			write(present.Bad, "-"+mine[i].text)
			i++
		case line[0] == '+':
			write(present.Good, "+"+theirs[j].text)
			j++
		default:
			write(lipgloss.NewStyle(), " "+mine[i].text)
			i, j = i+1, j+1
		}
	}
}

// A codeLine is a line of a Go file that has code.
type codeLine struct {
	number int    // from 1
	text   string // as it stands in the file
	code   string // without comments, and with one blank where gofmt may align with several
}

// notCode matches a comment, a literal, in which there is none, or blanks. A literal without its end reaches to the end
// of the line or, between backticks, of the file.
var notCode = regexp.MustCompile(`//[^\n]*|/\*(?s:.*?)(?:\*/|\z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|` +
	"`[^`]*`?" + `|[ \t]+`)

// lineText matches the text of each line.
var lineText = regexp.MustCompile(`[^\n]+`)

// codeLines returns the lines of a Go file, which need not be correct, that have more than comments and white space.
// web/src/exercise/code-lines.ts finds the same.
func codeLines(file []byte) (all []codeLine) {
	code := notCode.ReplaceAllStringFunc(string(file), func(token string) string {
		if strings.HasPrefix(token, "//") || strings.HasPrefix(token, "/*") || strings.ContainsAny(token[:1], " \t") {
			return lineText.ReplaceAllString(token, " ") // the lines of a comment stay lines
		}
		return token
	})
	texts := strings.Split(string(file), "\n")
	for i, line := range strings.Split(code, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, codeLine{i + 1, strings.TrimSuffix(texts[i], "\r"), line})
		}
	}
	return all
}

// codeOf returns the code of lines as a file.
func codeOf(lines []codeLine) []byte {
	var b bytes.Buffer
	for _, line := range lines {
		b.WriteString(line.code + "\n")
	}
	return b.Bytes()
}

// numberOf returns the number of a line in its file, 0 if there is none.
func numberOf(lines []codeLine, i int) int {
	if i >= len(lines) {
		return 0
	}
	return lines[i].number
}
