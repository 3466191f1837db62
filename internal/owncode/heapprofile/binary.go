package heapprofile

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"debug/elf"
	"debug/gosym"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/google/pprof/profile"

	"onthestack/internal/owncode/userpkg"
)

// A Binary is the program that a profile is of. It says from which sources it was built and how, and which function of
// the runtime is called at an address.
type Binary struct {
	Name    string
	Release string // of Go that built it: "go1.26.8"
	Main    string // the import path of its package main; "command-line-arguments" if it was built from a list of files
	// Revision is the commit of its sources, "" if that is not recorded, and Modified is true if they were changed.
	Revision string
	Modified bool

	settings map[string]string // of the build
	buildID  string            // in hexadecimal digits, "" for none
	image    *image            // nil if only the settings can be read
}

// An image is the part of an ELF file that is needed to look up calls.
type image struct {
	file    *elf.File
	machine elf.Machine
	order   binary.ByteOrder
	lines   []byte   // the table of functions
	starts  []uint64 // where code may begin, by decreasing likelihood
	table   *gosym.Table
}

// maxTable bounds the table of functions, in bytes. The one of Kubernetes' API server has 30 million.
const maxTable = 512 << 20

// OpenBinary reads a program. It stays open until Close is called.
func OpenBinary(name string) (*Binary, error) {
	info, err := buildinfo.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%s is not a program that Go has built: name the one that was profiled", name)
	}
	b := &Binary{Name: name, Main: info.Path, settings: map[string]string{}}
	b.Release, _, _ = strings.Cut(info.GoVersion, " ") // without experiments
	for _, s := range info.Settings {
		b.settings[s.Key] = s.Value
	}
	b.Revision, b.Modified = b.settings["vcs.revision"], b.settings["vcs.modified"] == "true"
	if file, err := elf.Open(name); err == nil {
		b.buildID = gnuBuildID(file)
		if b.image = newImage(file); b.image == nil {
			file.Close()
		}
	}
	return b, nil
}

// Close closes the file.
func (b *Binary) Close() error {
	if b == nil || b.image == nil {
		return nil
	}
	return b.image.file.Close()
}

// gnuBuildID returns the build ID that the linker writes since Go 1.24, and that a profile names.
func gnuBuildID(file *elf.File) string {
	section := file.Section(".note.gnu.build-id")
	if section == nil || section.Size > 1<<10 {
		return ""
	}
	// The note: the sizes of its name and of its value, its type, its name "GNU\0", its value.
	note, err := section.Data()
	if err != nil || len(note) < 16 || !bytes.Equal(note[12:16], []byte("GNU\x00")) {
		return ""
	}
	size := file.ByteOrder.Uint32(note[4:])
	return hex.EncodeToString(note[16:][:min(int(size), len(note)-16)])
}

// newImage returns the image of a file, nil if the file has no table of functions, or its machine code is not known.
func newImage(file *elf.File) *image {
	if file.Machine != elf.EM_X86_64 && file.Machine != elf.EM_AARCH64 {
		return nil
	}
	i := &image{file: file, machine: file.Machine, order: file.ByteOrder}
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab"} {
		if s := file.Section(name); s != nil && s.Size < maxTable && i.lines == nil {
			i.lines, _ = s.Data()
		}
	}
	text := file.Section(".text")
	if text == nil || len(i.lines) < 16 {
		return nil
	}
	i.starts = []uint64{text.Addr}
	// A program with code in C begins before the code of Go, at which the table's addresses begin.
	if symbols, err := file.Symbols(); err == nil {
		for _, s := range symbols {
			if s.Name == "runtime.text" {
				i.starts = append(i.starts, s.Value)
			}
		}
	}
	if header := 8 + 2*8; len(i.lines) >= header+8 { // up to Go 1.25
		i.starts = append(i.starts, i.order.Uint64(i.lines[header:]))
	}
	return i
}

// Check returns an error if the program is not the one that the profile is of.
func (b *Binary) Check(p *Profile) error {
	main := p.mainMapping()
	if main != nil && main.BuildID != "" && b.buildID != "" && !strings.EqualFold(main.BuildID, b.buildID) {
		return fmt.Errorf("%s is not the program of the profile: its build ID is %s, and the profile's is %s", b.Name,
			b.buildID, main.BuildID)
	}
	if b.image == nil {
		return nil
	}
	// The names of the functions at the profile's addresses also tell where the code begins.
	for _, start := range b.image.starts {
		table, err := gosym.NewTable(nil, gosym.NewLineTable(b.image.lines, start))
		if err != nil {
			continue
		}
		b.image.table = table
		if same, other := b.compare(p, main); same >= other {
			return nil
		}
	}
	b.image.table = nil
	if main != nil && main.BuildID != "" && main.BuildID == b.buildID {
		return nil // its table is not understood
	}
	return fmt.Errorf("%s is not the program of the profile: it has other functions at the profile's addresses", b.Name)
}

// compare returns at how many addresses of the profile the program has the profile's function, and at how many another
// one.
func (b *Binary) compare(p *Profile, main *profile.Mapping) (same, other int) {
	const enough = 500
	for _, l := range p.data.Location {
		if l.Mapping != main || len(l.Line) == 0 || l.Address == 0 || same+other == enough {
			continue
		}
		outermost := l.Line[len(l.Line)-1].Function
		address, ok := b.image.address(l)
		if outermost == nil || !ok {
			continue
		}
		if f := b.image.table.PCToFunc(address); f != nil && (f.Name == outermost.SystemName || f.Name == outermost.Name) {
			same++
		} else {
			other++
		}
	}
	return same, other
}

// mainMapping returns the mapping of the program's own code: the one with the most locations, nil for none.
func (p *Profile) mainMapping() (main *profile.Mapping) {
	count := map[*profile.Mapping]int{}
	for _, l := range p.data.Location {
		if count[l.Mapping]++; l.Mapping != nil && (main == nil || count[l.Mapping] > count[main]) {
			main = l.Mapping
		}
	}
	return main
}

// address returns the address of a location in the file. The program may have run at another one.
func (i *image) address(l *profile.Location) (address uint64, ok bool) {
	m := l.Mapping
	if m == nil || m.Start == 0 && m.Offset == 0 { // not known: it ran where it was linked
		return l.Address, true
	}
	if l.Address < m.Start || m.Limit > m.Start && l.Address >= m.Limit {
		return 0, false
	}
	offset := l.Address - m.Start + m.Offset
	for _, s := range i.file.Progs {
		if s.Type == elf.PT_LOAD && s.Off <= offset && offset-s.Off < s.Filesz {
			return s.Vaddr + (offset - s.Off), true
		}
	}
	return 0, false
}

// called returns the function of the runtime that is called at a location, "" if that is not known: a profile leaves out
// the runtime's functions at the end of a stack, but the address of the call remains. It is the last byte of the call.
func (b *Binary) called(l *profile.Location) string {
	if b == nil || b.image == nil || b.image.table == nil {
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
	f := b.image.table.PCToFunc(target)
	if f == nil || f.Entry != target ||
		!strings.HasPrefix(f.Name, "runtime.") && !strings.HasPrefix(f.Name, "internal/runtime/") {
		return ""
	}
	return f.Name
}

// target returns the address that the instruction before an address calls.
func (i *image) target(after uint64) (target uint64, ok bool) {
	switch i.machine {
	case elf.EM_X86_64:
		code, ok := i.read(after-5, 5)
		if !ok || code[0] != 0xe8 { // CALL rel32
			return 0, false
		}
		return after + uint64(int64(int32(i.order.Uint32(code[1:])))), true
	case elf.EM_AARCH64:
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
	for _, s := range i.file.Progs {
		if s.Type == elf.PT_LOAD && s.Vaddr <= address && address-s.Vaddr < s.Filesz {
			code := make([]byte, n)
			_, err := s.ReadAt(code, int64(address-s.Vaddr))
			return code, err == nil
		}
	}
	return nil, false
}

// Configure returns how packages are compiled as they were compiled for the program: with the tags, the flags, the
// platform and the profile of the compiler, but with the release of the given Config. Notes say what is not possible.
func (b *Binary) Configure(ctx context.Context, c userpkg.Config) (_ userpkg.Config, notes []string, err error) {
	c.Tags = cmp.Or(c.Tags, b.settings["-tags"])
	for _, name := range []string{"-gcflags", "-race", "-msan", "-asan"} {
		if value := b.settings[name]; value != "" {
			c.Flags = append(c.Flags, name+"="+value)
		}
	}
	for key, value := range b.settings {
		if strings.HasPrefix(key, "GO") && key != "GOFIPS140" { // GOOS, GOARCH, GOAMD64, GOEXPERIMENT
			c.Env = append(c.Env, key+"="+value)
		}
	}
	// Another platform needs a compiler of C for it, which most machines do not have.
	if b.settings["GOOS"] == runtime.GOOS && b.settings["GOARCH"] == runtime.GOARCH {
		c.Env = append(c.Env, "CGO_ENABLED="+cmp.Or(b.settings["CGO_ENABLED"], "0"))
	}
	slices.Sort(c.Env)
	// A profile for the compiler changes what it inlines, and so what escapes.
	if pgo := b.settings["-pgo"]; pgo != "" {
		name := path.Base(strings.ReplaceAll(pgo, `\`, "/"))
		main, err := c.List(ctx, b.Main)
		if err != nil {
			return c, nil, err
		}
		if len(main) == 1 && main[0].Dir != "" {
			file := filepath.Join(main[0].Dir, name)
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				c.Flags = append(c.Flags, "-pgo="+file)
				return c, nil, nil
			}
		}
		notes = append(notes, fmt.Sprintf("The program was optimized with %s, which is not in the folder of its package main: "+
			"the compiler may inline other functions here.", name))
	}
	return c, notes, nil
}
