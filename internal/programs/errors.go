package programs

import (
	"bytes"
	"strings"

	"onthestack/internal/execution"
)

// BuildTimeout is a message of the Go playground that its clients recognize.
const BuildTimeout = "timeout running go build"

// BuildErrors returns the errors of a failed build of the plan, in the Go playground's format.
func (p Plan) BuildErrors(b *execution.Build) string {
	output := fromHere(WithoutBanners(b.Output), p)
	switch {
	case b.Stop.Kind == execution.BuildTime:
		return BuildTimeout + "\n" + output
	case b.Stop.Kind != execution.NotStopped:
		return "go build " + b.Stop.String() + "\n" + output
	case output == "":
		return "go build failed without a message\n"
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

// fromHere makes file names relative to the program's folder: "./prog.go:3:5: …". The compiler reports late errors,
// such as variables that are too large, with the module's path in place of "./".
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
