package heapprofile

import (
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// A placement says how the addresses of a profile are found in a file.
type placement struct {
	start uint64 // of the code of Go, to which the addresses in the table of functions are relative
	slide uint64 // how much higher the program ran than it was linked, if the profile has no mapping
}

// A call is a location of the profile with the instruction there.
type call struct {
	address uint64 // in the file
	names   [2]string
	target  uint64 // the address that is called, 0 if the instruction is no direct call
}

// A fit says how well a placement suits the profile.
type fit struct {
	placement
	same, other int // functions that are the profile's, and others
	entries     int // calls of the first instruction of a function
	calls       int // direct calls
}

// plausible reports whether the calls begin functions, as nearly all do with the right placement.
func (f fit) plausible() bool { return f.same >= f.other && 2*f.entries >= f.calls }

// Bounds on how many locations of the profile are compared with the program, and how many at each of the many addresses
// where its code may begin.
const (
	comparedLocations = 500
	searchedLocations = 100
)

// locate finds the placement with which the program has the functions and the calls of the profile. It reports whether
// the program can be the one of the profile, and whether its calls can be looked up.
func (i *image) locate(p *Profile, main *profile.Mapping) (same, known bool) {
	var locations []*profile.Location
	for _, l := range p.data.Location {
		if len(locations) < comparedLocations && l.Mapping == main && len(l.Line) > 0 && l.Address != 0 &&
			l.Line[len(l.Line)-1].Function != nil {
			locations = append(locations, l)
		}
	}
	var places []placement
	for _, start := range i.starts {
		places = append(places, placement{start: start})
	}
	best := i.best(places, locations)
	if !best.plausible() {
		few := locations[:min(len(locations), searchedLocations)]
		places = i.otherStarts(few)
		if unmapped(main) {
			places = i.otherSlides(few)
		}
		if other := i.best(places, few); other.plausible() && other.entries > 0 {
			best = i.best([]placement{other.placement}, locations)
		}
	}
	i.placement = best.placement
	return best.same >= best.other, best.plausible()
}

// best returns the fit of the placement that suits some locations best.
func (i *image) best(places []placement, locations []*profile.Location) (best fit) {
	var calls []call
	for n, at := range places {
		if n == 0 || at.slide != i.slide {
			i.slide = at.slide
			calls = i.calls(locations)
		}
		made := fit{placement: at}
		for _, c := range calls {
			made.other++
			if f, ok := i.table.at(c.address - at.start); ok {
				// The profile has "[...]" for type arguments.
				if name := withoutArguments(string(i.table.name(f))); slices.Contains(c.names[:], name) {
					made.same, made.other = made.same+1, made.other-1
				}
			}
			if c.target != 0 {
				made.calls++
				if f, ok := i.table.at(c.target - at.start); ok && i.table.entry(f) == c.target-at.start {
					made.entries++
				}
			}
		}
		if n == 0 || cmp.Or(cmp.Compare(made.entries, best.entries), cmp.Compare(made.same, best.same)) > 0 {
			best = made
		}
	}
	return best
}

// calls returns the locations that are in the file.
func (i *image) calls(locations []*profile.Location) (calls []call) {
	for _, l := range locations {
		if address, ok := i.address(l); ok {
			f := l.Line[len(l.Line)-1].Function
			target, _ := i.target(address + 1)
			names := [2]string{withoutArguments(f.Name), withoutArguments(f.SystemName)}
			calls = append(calls, call{address, names, target})
		}
	}
	return calls
}

// Alignments of the code in memory: where it begins, and by how much a program is moved.
const (
	codeAlignment = 16
	pageSize      = 4 << 10
)

// otherStarts returns the placements with which the smallest functions of some locations are at the locations. The
// linker of C puts code of its own before the code of Go, and since Go 1.26 the table does not say where that begins.
func (i *image) otherStarts(locations []*profile.Location) (places []placement) {
	for _, l := range i.smallest(locations) {
		first := (l.address - l.end + codeAlignment - 1) &^ (codeAlignment - 1)
		for at := first; int64(l.address-l.entry-at) >= 0; at += codeAlignment {
			places = append(places, placement{start: at})
		}
	}
	return places
}

// otherSlides returns these placements for a program that ran at other addresses than it was linked for, if the profile
// does not say at which.
func (i *image) otherSlides(locations []*profile.Location) (places []placement) {
	i.slide = 0
	for _, l := range i.smallest(locations) {
		for _, start := range i.starts {
			first := (l.address - start - l.end + pageSize - 1) &^ (pageSize - 1)
			for at := first; int64(l.address-start-l.entry-at) >= 0; at += pageSize {
				places = append(places, placement{start, at})
			}
		}
	}
	return places
}

// A located is a function of the table, by the offsets of its first and of its last byte, and a location in it.
type located struct{ entry, end, address uint64 }

// smallest returns the smallest functions in which some locations are, of functions whose names are unique.
func (i *image) smallest(locations []*profile.Location) []located {
	const most, largest = 3, 4 << 10
	addresses := map[string]uint64{}
	for _, l := range locations {
		if address, ok := i.address(l); ok {
			addresses[l.Line[len(l.Line)-1].Function.Name] = address
		}
	}
	found, count := map[string]located{}, map[string]int{}
	for f := range i.table.count {
		name := i.table.name(f)
		if address, ok := addresses[string(name)]; ok {
			count[string(name)]++
			found[string(name)] = located{i.table.entry(f), i.table.entry(f+1) - 1, address}
		}
	}
	maps.DeleteFunc(found, func(name string, l located) bool {
		return count[name] > 1 || l.end-l.entry > largest || l.address < l.end
	})
	all := slices.SortedFunc(maps.Values(found), func(a, b located) int {
		return cmp.Or(cmp.Compare(a.end-a.entry, b.end-b.entry), cmp.Compare(a.entry, b.entry),
			cmp.Compare(a.address, b.address))
	})
	return all[:min(len(all), most)]
}

// unmapped reports whether it is not known to which addresses a program was mapped.
func unmapped(m *profile.Mapping) bool { return m == nil || m.Start == 0 && m.Offset == 0 }

// address returns the address of a location in the file. The program may have run at another one.
func (i *image) address(l *profile.Location) (address uint64, ok bool) {
	m := l.Mapping
	if unmapped(m) {
		return l.Address - i.slide, true
	}
	if l.Address < m.Start || m.Limit > m.Start && l.Address >= m.Limit {
		return 0, false
	}
	if !i.byOffset {
		return i.base + (l.Address - m.Start), true
	}
	offset := l.Address - m.Start + m.Offset
	for _, s := range i.segments {
		if s.offset <= offset && offset-s.offset < s.size {
			return s.address + (offset - s.offset), true
		}
	}
	return 0, false
}

// called returns the function of the runtime that is called at a location, "" if that is not known: a profile leaves
// out the runtime's functions at the end of a stack, but the address of the call remains. It is the last byte of the
// call.
func (b *Binary) called(l *profile.Location) string {
	if b == nil || b.image == nil {
		return ""
	}
	last, ok := b.image.address(l)
	if !ok {
		return ""
	}
	target, ok := b.image.target(last + 1)
	if !ok {
		return ""
	}
	name := b.image.function(target)
	if !strings.HasPrefix(name, "runtime.") && !strings.HasPrefix(name, "internal/runtime/") {
		return ""
	}
	return name
}

// function returns the name of the function that begins at an address, "" for none.
func (i *image) function(address uint64) string {
	if f, ok := i.table.at(address - i.start); ok && i.table.entry(f) == address-i.start {
		return string(i.table.name(f))
	}
	return ""
}

// target returns the address that the instruction before an address calls.
func (i *image) target(after uint64) (target uint64, ok bool) {
	switch i.arch {
	case "amd64":
		code, ok := i.read(after-5, 5)
		if !ok || code[0] != 0xe8 { // CALL rel32
			return 0, false
		}
		return after + uint64(int64(int32(binary.LittleEndian.Uint32(code[1:])))), true
	case "arm64":
		code, ok := i.read(after-4, 4)
		if !ok {
			return 0, false
		}
		instruction := binary.LittleEndian.Uint32(code)
		if instruction>>26 != 0x25 { // BL imm26
			return 0, false
		}
		return after - 4 + uint64(int64(int32(instruction<<6)>>6)*4), true
	}
	return 0, false
}

// read returns the code at an address.
func (i *image) read(address uint64, n int) ([]byte, bool) {
	for _, s := range i.segments {
		if s.address <= address && address-s.address < s.size {
			code := make([]byte, min(uint64(n), s.size-(address-s.address)))
			_, err := i.file.ReadAt(code, int64(s.offset+(address-s.address)))
			return code, err == nil && len(code) == n
		}
	}
	return nil, false
}
