package heapprofile

import (
	"path"
	"regexp"
	"strings"

	"github.com/google/pprof/profile"

	stacks "onthestack/internal/profile"
	"onthestack/internal/why"
)

// A frame is a call on a stack, in terms of packages: folders of the machine that built the program mean nothing here.
type frame struct {
	pkg      string // the import path
	function string // its full name, with an import path and "[...]" for type arguments
	// named is the import path in the name: another one for a closure of a function that was inlined in that package.
	named string
	file  string // base name
	line  int
	start int // the line on which the function begins, 0 if the profile does not say
	// unknown says why the file is not known, "" if it is.
	unknown string
}

// isRuntime reports whether the frame is the runtime's.
func (f frame) isRuntime() bool {
	return strings.HasPrefix(f.function, "runtime.") || strings.HasPrefix(f.function, "internal/runtime/")
}

// written reports whether the frame is in a file that somebody has written: the compiler and cgo make others.
func (f frame) written() bool {
	return f.line > 0 && !strings.HasPrefix(f.file, "<") && !strings.HasPrefix(f.file, "_cgo_")
}

// local returns the name of the function without the import path.
func (f frame) local() string { return strings.TrimPrefix(f.function, f.named+".") }

// A framer turns the locations of profiles into frames. The same folder has files of one package.
type framer struct {
	main    string            // the import path of package main, "main" if it is not known
	folders map[string]string // import paths by folder, as far as the names of functions tell
	starts  map[string]int    // the lines on which declared functions begin, by their names as in a frame
	located map[*profile.Location]*location
}

// A location is a location of a profile with its frames, innermost first.
type location struct {
	frames []frame
	number uint64 // its own
	// shown is the index of the innermost frame whose line is shown, -1 for none; it is not known yet if asked is false.
	shown int
	asked bool
}

// newFramer returns a framer for some profiles.
func newFramer(main string, profiles ...*Profile) *framer {
	f := &framer{main: main, folders: map[string]string{}, starts: map[string]int{},
		located: map[*profile.Location]*location{}}
	for _, p := range profiles {
		for _, function := range p.data.Function {
			// A closure has the name of the function into which it is inlined, which may be another package's.
			if function.Name != "" && !isClosure(function.Name) {
				f.folders[folderOf(function)] = f.packageOf(function.Name)
				f.starts[f.name(stacks.Unescape(function.Name))] = int(function.StartLine)
			}
		}
	}
	return f
}

func folderOf(function *profile.Function) string {
	return path.Dir(strings.ReplaceAll(function.Filename, `\`, "/"))
}

// isClosure reports whether a function is a closure, by its name in a profile. An import path may have a hyphen, as the
// names of some closures have.
func isClosure(function string) bool {
	local := strings.TrimPrefix(stacks.Unescape(function), stacks.PackageOf(function)+".")
	return why.Outermost(local) != local
}

// packageOf returns the import path of the package of a function, given its name in a profile.
func (f *framer) packageOf(function string) string {
	if pkg := stacks.PackageOf(function); pkg != "main" {
		return pkg
	}
	return f.main
}

// at returns the frames at a location.
func (f *framer) at(l *profile.Location) *location {
	made := f.located[l]
	if made != nil {
		return made
	}
	made = &location{number: uint64(len(f.located))}
	for _, line := range l.Line {
		if line.Function != nil {
			made.frames = append(made.frames, f.frame(line))
		}
	}
	f.located[l] = made
	return made
}

func (f *framer) frame(line profile.Line) frame {
	folder := folderOf(line.Function)
	made := frame{
		pkg: f.packageOf(line.Function.Name), function: f.name(stacks.Unescape(line.Function.Name)), line: int(line.Line),
		file:  path.Base(strings.ReplaceAll(line.Function.Filename, `\`, "/")),
		start: int(line.Function.StartLine),
	}
	made.named = made.pkg
	if pkg := f.folders[folder]; pkg != "" && folder != "." && isClosure(line.Function.Name) {
		made.pkg = pkg
	}
	if pkg, ok := strings.CutSuffix(made.pkg, "_test"); ok && strings.HasSuffix(made.file, "_test.go") {
		made.function = pkg + strings.TrimPrefix(made.function, made.pkg)
		made.pkg, made.named = pkg, pkg
	}
	return made
}

// name returns a function's name as in a frame.
func (f *framer) name(function string) string {
	if rest, ok := strings.CutPrefix(function, "main."); ok {
		function = f.main + "." + rest
	}
	return withoutArguments(function)
}

// withoutArguments returns a function's name with "[...]" for each list of type arguments, as the runtime prints it.
func withoutArguments(name string) string {
	var b strings.Builder
	depth := 0
	for i := range len(name) {
		switch c := name[i]; {
		case c == '[':
			if depth++; depth == 1 {
				b.WriteString("[...]")
			}
		case c == ']':
			depth = max(0, depth-1)
		case depth == 0:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// moduleVersion matches the version of a module in the name of a folder: "lib@v1.2.3".
var moduleVersion = regexp.MustCompile(`@v[^/]*`)

// mainFolders returns the folders of files of package main, with slashes and without versions.
func mainFolders(profiles ...*Profile) map[string][]string {
	found := map[string][]string{}
	for _, p := range profiles {
		for _, function := range p.data.Function {
			name := function.Name
			if strings.HasPrefix(name, "main.") && !isClosure(name) {
				folder := moduleVersion.ReplaceAllString(folderOf(function), "")
				found[folder] = append(found[folder], path.Base(strings.ReplaceAll(function.Filename, `\`, "/")))
			}
		}
	}
	return found
}
