package analysis

import (
	"encoding/json"
	"fmt"

	"onthestack/internal/escape"
	"onthestack/internal/programs"
	"onthestack/internal/verdict"
)

// maxList bounds each list of an answer in bytes of JSON. A request of 3 KB can have a report of 4 MB. The reports on
// the exercises and on the book's programs have less than a tenth of this.
const maxList = 512 << 10

// bound shortens the lists of an answer that are too long. A note among the diagnostics then says what is left out. The
// output of programs and the steps have limits of their own.
func bound(value any) {
	switch v := value.(type) {
	case *programs.Report:
		v.Escapes = boundDiagnostics(v.Escapes)
		if v.Verdict != nil {
			bound(v.Verdict)
		}
	case *verdict.Verdict:
		v.Escapes = boundDiagnostics(v.Escapes)
		var left int
		if v.Allocations, left = shorten(v.Allocations); left > 0 {
			at := v.Allocations[0]
			v.Escapes = append(v.Escapes, note(at.File, at.Line, "%d lines that allocate less are left out", left))
		}
		if v.Inside, left = shorten(v.Inside); left > 0 {
			at := v.Inside[0]
			v.Escapes = append(v.Escapes, note(at.File, at.Line,
				"%d lines of other packages that allocate less are left out", left))
		}
	}
}

func boundDiagnostics(list []escape.Diagnostic) []escape.Diagnostic {
	kept, left := shorten(list)
	if left > 0 {
		at := list[len(kept)]
		kept = append(kept, note(at.File, at.Line, "%d diagnostics from here on are left out", left))
	}
	return kept
}

func note(file string, line int, format string, args ...any) escape.Diagnostic {
	return escape.Diagnostic{File: file, Line: line, Kind: escape.Note,
		Message: fmt.Sprintf(format, args...) + fmt.Sprintf(", because the list is larger than %d KiB", maxList>>10)}
}

// shorten returns the beginning of a list that has at most maxList bytes, and how many elements are left out. At least
// one element is kept.
func shorten[T any](list []T) (kept []T, left int) {
	size := 0
	for i, element := range list {
		text, err := json.Marshal(element)
		if err != nil {
			return list, 0 // encoding the answer will say so
		}
		if size += len(text); size > maxList && i > 0 {
			return list[:i:i], len(list) - i
		}
	}
	return list, 0
}
