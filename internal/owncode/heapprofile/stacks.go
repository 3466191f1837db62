package heapprofile

import (
	"cmp"
	"encoding/binary"
	"math"
	"path"
	"slices"

	"github.com/google/pprof/profile"

	"onthestack/internal/harness/wire"
	stacks "onthestack/internal/profile"
)

// maxCallers is how many callers of a line are kept on its stacks: package why looks for them where a function is
// inlined.
const maxCallers = 4

// stacks returns the stacks of the entries that are charged to lines of some packages and that are in their sources, up
// to the line and a few callers. Equal ones are added up. sized is false if the sizes of objects are not known.
func (e *explainer) stacks(wanted func(pkg string) bool) (all []wire.Stack, sized bool) {
	index := map[string]int{}
	sized = true
	var key []byte
	for _, entry := range e.entries {
		i, j, ok := e.charged(entry.locations)
		if !ok || entry.objects <= 0 && entry.bytes <= 0 || !wanted(e.at(entry.locations[i]).frames[j].pkg) {
			continue
		}
		if entry.size == 0 {
			sized = false
		}
		objects := max(1, int64(math.Round(entry.objects)))
		key = binary.AppendVarint(key[:0], entry.size)
		for _, l := range entry.locations[:min(len(entry.locations), i+1+maxCallers)] {
			key = binary.AppendUvarint(key, e.at(l).number)
		}
		if known, ok := index[string(key)]; ok {
			if known >= 0 {
				all[known].Objects += objects
			}
			continue
		}
		frames, ok := e.wireFrames(entry.locations, i, j)
		if !ok {
			index[string(key)] = -1
			continue
		}
		index[string(key)] = len(all)
		all = append(all, wire.Stack{Objects: objects, Size: entry.size, Frames: frames})
	}
	return all, sized
}

// wireFrames returns the frames of a stack up to the one at an index of a location, which is charged, and a few of its
// callers. The innermost is the function of the runtime that was called. ok is false if the charged line is not in the
// sources.
func (e *explainer) wireFrames(locations []*profile.Location, at, index int) (frames []wire.Frame, ok bool) {
	begun := false
	for i, l := range locations[:min(len(locations), at+1+maxCallers)] {
		if !begun && len(e.at(l).frames) == 0 {
			frames = nil // in the text form, few of the runtime's functions have names
		}
		for j, f := range e.at(l).frames {
			if !begun && !f.isRuntime() {
				if len(frames) == 0 {
					frames = append(frames, wire.Frame{Func: cmp.Or(e.Binary.called(l), stacks.Unknown)})
				}
				begun = true
			}
			made := wire.Frame{Func: f.function, File: "/" + f.file, Line: f.line}
			if i > at || i == at && j >= index {
				made.File = f.pkg + "/" + f.file
				if e.compiled[f.pkg] != nil {
					line, changed := e.sources.find(f)
					if changed != "" && i == at && j == index {
						return nil, false
					}
					made.Line = line
				}
			}
			frames = append(frames, made)
		}
	}
	return frames, true
}

// A lineSet has lines of a package by file.
type lineSet map[string][]int

// in reports whether one of the lines is in a range of lines of a file.
func (s lineSet) in(file string, from, to int) bool {
	i, _ := slices.BinarySearch(s[file], from)
	return i < len(s[file]) && s[file][i] <= to
}

// touches returns the lines that are on stacks, by import path.
func touches(all []wire.Stack) map[string]lineSet {
	touched := map[string]lineSet{}
	for _, s := range all {
		for _, f := range s.Frames {
			pkg, file := path.Dir(f.File), path.Base(f.File)
			if touched[pkg] == nil {
				touched[pkg] = lineSet{}
			}
			touched[pkg][file] = append(touched[pkg][file], f.Line)
		}
	}
	for _, set := range touched {
		for file := range set {
			slices.Sort(set[file])
			set[file] = slices.Compact(set[file])
		}
	}
	return touched
}
