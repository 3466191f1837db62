package build

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"onthestack/internal/compilelink"
)

// assemblyFiles has go list print the assembler's files, each with what marks its line.
const assemblyFiles = `{{if not .Standard}}{{$p := .}}{{range .SFiles}}` + assemblyMark + `{{$p.Dir}}/{{.}}{{"\n"}}{{end}}{{range .HFiles}}` + assemblyMark + `{{$p.Dir}}/{{.}}{{"\n"}}{{end}}{{end}}`

const assemblyMark = "assembly:"

// Files that assembly includes by rights lie in the Go installation, or are made by the go command.
var (
	include        = regexp.MustCompile(`include`)
	allowedInclude = regexp.MustCompile(`#include[ \t]+"(textflag|funcdata|go_asm)\.h"`)
)

// refuseAssembly refuses a module of a third party in which assembly includes a file that it does not name by rights; see
// foreign.
func (j *job) refuseAssembly(listed compilelink.Result) compilelink.Result {
	for line := range strings.Lines(string(listed.Output)) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), assemblyMark)
		if !ok {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil || len(include.FindAll(text, -1)) != len(allowedInclude.FindAll(text, -1)) {
			return compilelink.Result{Output: fmt.Appendf(nil, "%s: assembly that includes other files cannot be built here\n", name)}
		}
	}
	listed.Output = nil
	return listed
}
