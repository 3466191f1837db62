package html

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"onthestack/internal/step"
)

// The files steps.js and steps.css are built from web/src/step and web/src/styles by "make generate". They are in the
// repository because every build of this package embeds them, also where there is no Node.js to build them.
var (
	//go:embed steps.js
	stepsScript string
	//go:embed steps.css
	stepsStyle string
	//go:embed steps.tmpl
	stepsText string

	stepsPage = template.Must(template.New("steps").Funcs(embedded(stepsStyle, stepsScript)).Parse(stepsText))
)

// WriteSteps writes the steps of a program as a page, or of two beside each other. Without scripts, the page lists the
// steps as sentences. Text from a program is never interpreted as markup. command is the command line that made the
// page, "checkalloc step main.go"; "" leaves it out.
func WriteSteps(w io.Writer, programs []step.Compared, command string) error {
	var names []string
	for _, p := range programs {
		names = append(names, p.Name)
	}
	var data any = step.NewComparison(programs...)
	if len(programs) == 1 {
		names = slices.Sorted(maps.Keys(programs[0].Steps.Files))
		data = programs[0].Steps
	}
	name := strings.Join(names, ", ")
	// encoding/json escapes <, > and &, so that the text cannot end the element that it is in.
	text, err := json.Marshal(data)
	if err == nil {
		err = stepsPage.Execute(w, struct {
			Name, Command string
			Programs      []step.Compared
			Data          template.JS
		}{name, command, programs, template.JS(text)})
	}
	if err != nil {
		return fmt.Errorf("write the page of %s: %w", name, err)
	}
	return nil
}
