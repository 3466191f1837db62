package playground

import (
	"bytes"
	"strings"

	"onthestack/internal/execution"
)

// BuildTimeout is the playground's text; its clients know it.
const BuildTimeout = "timeout running go build"

// buildErrors is what a failed build of a plan printed, as the playground shows it.
func buildErrors(b *execution.Build, plan Plan) string {
	output := fromHere(WithoutBanners(b.Output), plan)
	switch {
	case b.Stop.Kind == execution.BuildTime:
		return BuildTimeout + "\n" + output
	case b.Stop.Kind != execution.NotStopped:
		return "go build " + b.Stop.String() + "\n" + output
	case output == "":
		return "go build failed without saying why\n"
	}
	return output
}

// WithoutBanners removes the lines that name the package: "# play".
func WithoutBanners(output []byte) string {
	var kept bytes.Buffer
	for line := range bytes.Lines(output) {
		if !bytes.HasPrefix(line, []byte("# ")) {
			kept.Write(line)
		}
	}
	return strings.ToValidUTF8(kept.String(), "\uFFFD")
}

// fromHere names files from the program's folder, "./prog.go:3:5: …", also where the compiler names them by the module's path: it
// does so of what it finds late, such as variables that are too large.
func fromHere(output string, plan Plan) string {
	var b strings.Builder
	for line := range strings.Lines(output) {
		if rest, ok := strings.CutPrefix(line, plan.ModulePath()+"/"); ok {
			if name, _, _ := strings.Cut(rest, ":"); plan.Files[name] != nil {
				line = "./" + rest
			}
		}
		b.WriteString(line)
	}
	return b.String()
}
