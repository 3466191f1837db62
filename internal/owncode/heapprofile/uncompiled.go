package heapprofile

import "onthestack/internal/why"

// locate finds a line in the sources of a package that was not compiled, since it allocates too little or cannot be
// compiled. The line keeps its number and has no text if it is not there any more.
func (e *explainer) locate(l *Line, f frame) {
	texts, known := e.sources.texts[f.pkg]
	if !known {
		if meta, ok := e.byPath[f.pkg]; ok {
			texts, _ = meta.Sources() // without them the line has no text
		}
		e.sources.texts[f.pkg] = texts
	}
	number, changed := e.sources.find(f)
	if changed != "" {
		return
	}
	l.Line, l.Code, l.texts = number, why.LineText(texts[f.file], number), texts
	e.report.texts[l.File] = texts[f.file]
}
