// Package profile folds memory profiles onto the source lines of one package.
package profile

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// A Term is one allocation profile (profile.proto, gzipped or not, every allocation recorded) and the factor with which it
// counts in a sum.
type Term struct {
	Scale float64
	Proto []byte
}

// A Line is what was allocated on behalf of one source line of the package.
type Line struct {
	File string // base name
	Line int
	Func string // as the runtime names it, without the import path: "Replace", "(*T).Read", "Replace.func1"
	// Objects and Bytes are sums over the profile. Objects counts what was recorded: of tiny objects (under 16 bytes, without
	// pointers) only those that opened a new block.
	Objects, Bytes float64
	// Tiny is the part of Objects that is blocks of tiny objects, or objects that cannot be told from them: 16 bytes each.
	Tiny float64
	// Callees are the functions between the line and the allocation, outermost first, with import paths; empty where the line
	// itself allocates. Of several paths the one with most objects is given.
	Callees []string
}

// tinyBlock is the size in bytes of a block of tiny objects: maxTinySize in the runtime's malloc.go.
const tinyBlock = 16

// Fold sums terms and folds each allocation onto the innermost frame that lies in a file of the package with the given import
// path: one for which own, asked for the file's base name, is true. What was allocated on behalf of no such line is left out.
// Lines are ordered by file, line and function.
func Fold(terms []Term, importPath string, own func(file string) bool) ([]Line, error) {
	sum, err := add(terms)
	if err != nil || sum == nil {
		return nil, err
	}
	objects, space, err := valueIndexes(sum)
	if err != nil {
		return nil, err
	}

	type key struct {
		file string
		line int
		fn   string
	}
	lines := map[key]*Line{}
	most := map[key]float64{}
	for _, s := range sum.Sample {
		frames := stack(s)
		at := slices.IndexFunc(frames, func(f profile.Line) bool {
			dir, file := splitPath(f.Function.Filename)
			return (dir == importPath || strings.HasSuffix(dir, "/"+importPath)) && own(file)
		})
		if at < 0 || s.Value[objects] == 0 {
			continue
		}
		f := frames[at]
		_, file := splitPath(f.Function.Filename)
		k := key{file, int(f.Line), strings.TrimPrefix(f.Function.Name, importPath+".")}
		l := lines[k]
		if l == nil {
			l = &Line{File: k.file, Line: k.line, Func: k.fn}
			lines[k] = l
		}
		n := float64(s.Value[objects])
		l.Objects += n
		l.Bytes += float64(s.Value[space])
		if size := s.NumLabel["bytes"]; len(size) == 1 && size[0] == tinyBlock {
			l.Tiny += n
		}
		if n > most[k] {
			most[k] = n
			l.Callees = nil
			for _, callee := range slices.Backward(frames[:at]) {
				l.Callees = append(l.Callees, callee.Function.Name)
			}
		}
	}

	folded := make([]Line, 0, len(lines))
	for _, l := range lines {
		// Nothing is left of what was subtracted to the last object.
		if l.Objects > 0 {
			folded = append(folded, *l)
		}
	}
	slices.SortFunc(folded, func(a, b Line) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), strings.Compare(a.Func, b.Func))
	})
	return folded, nil
}

// add returns the sum of terms, nil for none.
func add(terms []Term) (*profile.Profile, error) {
	var parsed []*profile.Profile
	for i, t := range terms {
		p, err := profile.Parse(bytes.NewReader(t.Proto))
		if err != nil {
			return nil, fmt.Errorf("memory profile %d of %d: %w", i+1, len(terms), err)
		}
		p.Scale(t.Scale)
		parsed = append(parsed, p)
	}
	if len(parsed) == 0 {
		return nil, nil
	}
	return profile.Merge(parsed)
}

func valueIndexes(p *profile.Profile) (objects, space int, err error) {
	index := func(name string) int {
		return slices.IndexFunc(p.SampleType, func(t *profile.ValueType) bool { return t.Type == name })
	}
	objects, space = index("alloc_objects"), index("alloc_space")
	if objects < 0 || space < 0 {
		return 0, 0, fmt.Errorf("memory profile counts no alloc_objects and alloc_space: it is a profile of another kind")
	}
	return objects, space, nil
}

// stack lists a sample's frames, innermost first, inlined calls as frames of their own.
func stack(s *profile.Sample) []profile.Line {
	var frames []profile.Line
	for _, location := range s.Location {
		for _, line := range location.Line {
			if line.Function != nil {
				frames = append(frames, line)
			}
		}
	}
	return frames
}

func splitPath(name string) (dir, file string) {
	name = strings.ReplaceAll(name, `\`, "/")
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)], name[i+1:]
}
