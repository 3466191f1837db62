package measure

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"onthestack/internal/bookdata"
	"onthestack/internal/build"
)

// run runs the go command, or a program that it built, in the listing's folder.
func (m *Measurer) run(ctx context.Context, listing, command string, args ...string) ([]byte, error) {
	return build.RunTrusted(ctx, m.packageDir(listing), build.Environ(), command, args...)
}

// packageDir returns the path of the listing's folder on this machine.
func (m *Measurer) packageDir(name string) string {
	return filepath.Join(m.folder(), filepath.FromSlash(name))
}

// report returns the escape report as the compiler prints it for a build in the listing's folder. The build uses
// -trimpath, and the package's path is removed, because the go command may replay output from its cache, with the paths
// of the build that filled it. The report leaves out generic functions of other packages, which the compiler
// instantiates in the package that uses them.
func (m *Measurer) report(ctx context.Context, name string) ([]string, error) {
	out, err := m.run(ctx, name, "go", "build", "-trimpath", "-gcflags=-m=2", "-o", os.DevNull, ".")
	if err != nil {
		return nil, err
	}
	lines := m.lines(bytes.ReplaceAll(out, []byte("onthestack/"+m.Book+"/"+name+"/"), []byte("./")))
	return slices.DeleteFunc(lines, func(line string) bool {
		file, _, _ := strings.Cut(strings.TrimPrefix(line, "./"), ":")
		return strings.Contains(file, "/") && !strings.HasPrefix(line, "#")
	}), nil
}

// build builds the listing's test binary as a reader does, and writes it into the folder dir.
func (m *Measurer) build(ctx context.Context, name, dir string) (binary string, err error) {
	binary = filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".test")
	_, err = m.run(ctx, name, "go", "test", "-c", "-o", binary, ".")
	return binary, err
}

// header matches what pprof prints about the binary and about this run.
var header = regexp.MustCompile(`^(File|Build ID|Time|Duration): `)

// cpuFlag is in front of pprof's flags in an option about a CPU profile.
const cpuFlag = "-cpuprofile "

// pprof returns what pprof prints about the listing's benchmarks for each of the options: a regular expression for
// -list, or flags. The profile is of all allocations in 1000 operations of every benchmark or, for flags after
// -cpuprofile, of the processor's time.
func (m *Measurer) pprof(ctx context.Context, name string, options []string) (map[string][]string, error) {
	printed := map[string][]string{}
	if len(options) == 0 {
		return printed, nil
	}
	dir, err := os.MkdirTemp("", "bookalloc-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary, err := m.build(ctx, name, dir)
	if err != nil {
		return nil, err
	}
	run := func(profile string, flags ...string) func() (string, error) {
		return sync.OnceValues(func() (string, error) {
			_, err := m.run(ctx, name, binary, append(flags, "-test.run=^$", "-test.bench=.")...)
			return profile, err
		})
	}
	memory := run(binary+".mem", "-test.benchtime=1000x", "-test.memprofile="+binary+".mem", "-test.memprofilerate=1")
	cpu := run(binary+".cpu", "-test.cpuprofile="+binary+".cpu")
	for _, option := range options {
		profiled, args := memory, []string{"tool", "pprof", "-list", option}
		if strings.HasPrefix(option, "-") {
			flags, isCPU := strings.CutPrefix(option, cpuFlag)
			if isCPU {
				profiled = cpu
			}
			args = append(args[:2], strings.Fields(flags)...)
		}
		profile, err := profiled()
		if err != nil {
			return nil, err
		}
		out, err := m.run(ctx, name, "go", append(args, profile)...)
		if err != nil {
			return nil, err
		}
		lines := slices.DeleteFunc(m.lines(out), header.MatchString)
		if len(lines) < 2 {
			return nil, fmt.Errorf("pprof prints nothing for %q in %s: no function of that name allocated", option, name)
		}
		printed[option] = lines
	}
	return printed, nil
}

// lines splits the output of a command into lines, and removes this machine's folders from it, and the lines with which
// pprof lists anchor comments.
func (m *Measurer) lines(out []byte) []string {
	out = bytes.ReplaceAll(out, []byte(m.Root+string(filepath.Separator)), nil)
	var lines []string
	for line := range strings.Lines(strings.TrimRight(string(out), " \t\r\n")) {
		if _, source, ok := strings.Cut(line, ":"); ok && bookdata.IsAnchor(source) {
			continue
		}
		lines = append(lines, strings.TrimRight(line, " \t\r\n"))
	}
	return lines
}
