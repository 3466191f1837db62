package heapprofile

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"encoding/hex"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// The parts of a small program: main.f, which calls runtime.newobject, and the table of functions. The code begins
// after startup bytes of code in C.
const (
	startup  = 0x30
	callEnd  = 0x14 // after the call, in main.f
	codeSize = startup + 0x80
	codeAt   = 0x1000 // in the file, and in memory from the first byte on
	tableAt  = 0x2000
)

// smallCode returns the code of the small program.
func smallCode(arch string) []byte {
	code := make([]byte, codeSize)
	if arch == "arm64" {
		binary.LittleEndian.PutUint32(code[startup+callEnd-4:], 0x25<<26|(0x40-callEnd+4)/4)
		return code
	}
	code[startup+callEnd-5] = 0xe8
	binary.LittleEndian.PutUint32(code[startup+callEnd-4:], 0x40-callEnd)
	return code
}

// smallTable returns the table of functions of the small program, with the address of the code if the linker writes it.
func smallTable(written uint64) []byte {
	names := "\x00main.f\x00runtime.newobject\x00"
	t := append([]byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}, make([]byte, 8*wordSize)...)
	word := func(i int, n uint64) { binary.LittleEndian.PutUint64(t[tableHeader+wordSize*i:], n) }
	word(0, 2)
	word(2, written)
	word(3, uint64(len(t)))
	t = append(t, names...)
	word(7, uint64(len(t)))
	for _, n := range []uint32{
		0, 20, 0x40, 28, 0x50, // the index: two functions, and the end of the code
		0, 1, 0x40, 8, // what is known of them: the address and the name
	} {
		t = binary.LittleEndian.AppendUint32(t, n)
	}
	return t
}

// laid returns a file with headers, the code and the table.
func laid(code, table []byte, headers ...any) []byte {
	var b bytes.Buffer
	for _, h := range headers {
		if err := binary.Write(&b, binary.LittleEndian, h); err != nil {
			panic(err)
		}
	}
	file := make([]byte, tableAt, tableAt+len(table))
	copy(file, b.Bytes())
	copy(file[codeAt:], code)
	return append(file, table...)
}

// smallELF returns the small program for Linux, linked for an address.
func smallELF(address uint64, machine elf.Machine, code, table []byte) []byte {
	names := "\x00.text\x00.gopclntab\x00.shstrtab\x00"
	const programs, sections = 1, 4
	namesAt := uint64(64 + programs*56 + sections*64)
	header := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(machine), Version: 1, Phoff: 64, Phentsize: 56,
		Phnum: programs, Shoff: 64 + programs*56, Shentsize: 64, Shnum: sections, Shstrndx: 3, Ehsize: 64}
	copy(header.Ident[:], "\x7fELF\x02\x01\x01")
	size := uint64(tableAt + len(table))
	return laid(code, table, header,
		elf.Prog64{Type: uint32(elf.PT_LOAD), Vaddr: address, Filesz: size, Memsz: size},
		elf.Section64{},
		elf.Section64{Name: 1, Type: uint32(elf.SHT_PROGBITS), Addr: address + codeAt, Off: codeAt, Size: codeSize},
		elf.Section64{Name: 7, Type: uint32(elf.SHT_PROGBITS), Addr: address + tableAt, Off: tableAt,
			Size: uint64(len(table))},
		elf.Section64{Name: 18, Type: uint32(elf.SHT_STRTAB), Off: namesAt, Size: uint64(len(names))},
		[]byte(names))
}

// smallMachO returns the small program for macOS.
func smallMachO(address uint64, cpu macho.Cpu, code, table []byte) []byte {
	const sections = 2
	name := func(s string) (name [16]byte) { copy(name[:], s); return name }
	segment := macho.Segment64{Cmd: macho.LoadCmdSegment64, Name: name("__TEXT"), Addr: address,
		Memsz: uint64(tableAt + len(table)), Filesz: uint64(tableAt + len(table)), Nsect: sections}
	segment.Len = uint32(binary.Size(segment) + sections*binary.Size(macho.Section64{}))
	return laid(code, table,
		macho.FileHeader{Magic: macho.Magic64, Cpu: cpu, Type: macho.TypeExec, Ncmd: 1, Cmdsz: segment.Len}, uint32(0),
		segment,
		macho.Section64{Name: name("__text"), Seg: name("__TEXT"), Addr: address + codeAt, Size: codeSize, Offset: codeAt},
		macho.Section64{Name: name("__gopclntab"), Seg: name("__TEXT"), Addr: address + tableAt, Size: uint64(len(table)),
			Offset: tableAt})
}

// smallPE returns the small program for Windows. Its table of functions is somewhere in a section.
func smallPE(address uint64, machine uint16, code, table []byte) []byte {
	dos := [96]byte{'M', 'Z', 0x3c: 92}
	copy(dos[92:], "PE\x00\x00")
	name := func(s string) (name [8]uint8) { copy(name[:], s); return name }
	const before = 24
	table = append(make([]byte, before), table...)
	return laid(code, table, dos,
		pe.FileHeader{Machine: machine, NumberOfSections: 2,
			SizeOfOptionalHeader: uint16(binary.Size(pe.OptionalHeader64{}))},
		pe.OptionalHeader64{Magic: 0x20b, ImageBase: address, NumberOfRvaAndSizes: 16},
		pe.SectionHeader32{Name: name(".text"), VirtualSize: codeSize, VirtualAddress: codeAt, SizeOfRawData: codeSize,
			PointerToRawData: codeAt},
		pe.SectionHeader32{Name: name(".rdata"), VirtualSize: uint32(len(table)), VirtualAddress: tableAt,
			SizeOfRawData: uint32(len(table)), PointerToRawData: tableAt,
			Characteristics: pe.IMAGE_SCN_CNT_INITIALIZED_DATA})
}

// smallProfile returns a profile of the small program that ran at an address, with one location.
func smallProfile(m *profile.Mapping, at uint64) *Profile {
	f := &profile.Function{ID: 1, Name: "main.f", SystemName: "main.f"}
	l := &profile.Location{ID: 1, Mapping: m, Address: at + codeAt + startup + callEnd - 1,
		Line: []profile.Line{{Function: f}}}
	return &Profile{data: &profile.Profile{Location: []*profile.Location{l}}}
}

// linkedFor is the address that the small program is linked for.
const linkedFor = 0x140000000

// smallPrograms returns the small program in all formats.
func smallPrograms(written uint64) map[string][]byte {
	table := smallTable(written)
	return map[string][]byte{
		"ELF amd64":    smallELF(linkedFor, elf.EM_X86_64, smallCode("amd64"), table),
		"ELF arm64":    smallELF(linkedFor, elf.EM_AARCH64, smallCode("arm64"), table),
		"Mach-O amd64": smallMachO(linkedFor, macho.CpuAmd64, smallCode("amd64"), table),
		"Mach-O arm64": smallMachO(linkedFor, macho.CpuArm64, smallCode("arm64"), table),
		"PE amd64":     smallPE(linkedFor, pe.IMAGE_FILE_MACHINE_AMD64, smallCode("amd64"), table),
		"PE arm64":     smallPE(linkedFor, pe.IMAGE_FILE_MACHINE_ARM64, smallCode("arm64"), table),
	}
}

// TestCalled tests that the called function is found wherever the program ran, and whether or not it says where the
// code of Go begins.
func TestCalled(t *testing.T) {
	const ran = 0x7ff6a0f40000
	mapping := func(start uint64) *profile.Mapping {
		return &profile.Mapping{ID: 1, Start: start, Limit: start + 0x4000}
	}
	for name, test := range map[string]struct {
		written uint64
		mapping *profile.Mapping
		ran     uint64
	}{
		"mapped":                  {linkedFor + codeAt + startup, mapping(ran), ran},
		"start of code not known": {0, mapping(ran), ran},
		"unmapped":                {linkedFor + codeAt + startup, nil, ran},
		"mapping not known":       {linkedFor + codeAt + startup, &profile.Mapping{ID: 1}, ran},
		"at the linked address":   {linkedFor + codeAt + startup, nil, linkedFor},
	} {
		for format, file := range smallPrograms(test.written) {
			t.Run(name+", "+format, func(t *testing.T) {
				i, unread, err := openImage(bytes.NewReader(file), int64(len(file)))
				if err != nil || unread != "" {
					t.Fatal(unread, err)
				}
				p := smallProfile(test.mapping, test.ran)
				b := &Binary{Name: "program", image: i}
				if err := b.Check(p); err != nil {
					t.Fatal(err)
				}
				if got := b.called(p.data.Location[0]); got != "runtime.newobject" {
					t.Errorf("%q is called at %+v, %q", got, i.placement, b.unread)
				}
			})
		}
	}
}

// TestOther tests that a program is refused that has another function where the profile has main.f.
func TestOther(t *testing.T) {
	for format, file := range smallPrograms(0) {
		file = bytes.Replace(file, []byte("main.f\x00"), []byte("main.g\x00"), 1)
		i, unread, err := openImage(bytes.NewReader(file), int64(len(file)))
		if err != nil || unread != "" {
			t.Fatal(unread, err)
		}
		m := &profile.Mapping{ID: 1, Start: 0x10000, Limit: 0x20000}
		i.starts = []uint64{linkedFor + codeAt + startup}
		err = (&Binary{Name: "program", image: i}).Check(smallProfile(m, 0x10000))
		if err == nil || !strings.Contains(err.Error(), "program is not the program of the profile: it has other functions") {
			t.Errorf("%s: %v", format, err)
		}
	}
}

// TestTruncated tests that a part of a program is refused, or read as far as that is possible.
func TestTruncated(t *testing.T) {
	for format, file := range smallPrograms(0) {
		for size := range len(file) {
			i, unread, err := openImage(bytes.NewReader(file[:size]), int64(size))
			if err == nil && unread == "" {
				t.Errorf("%s, %d of %d bytes: %+v", format, size, len(file), i)
			}
		}
	}
}

// FuzzImage proves that any file is read, or refused, without much memory.
func FuzzImage(f *testing.F) {
	for _, file := range smallPrograms(0) {
		f.Add(file)
	}
	f.Add([]byte("\xca\xfe\xba\xbe\x00\x00\x00\x02"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) > 64<<10 {
			return
		}
		used := allocated(func() {
			readBuildInfo(bytes.NewReader(file))
			i, unread, err := openImage(bytes.NewReader(file), int64(len(file)))
			if err != nil || unread != "" {
				return
			}
			b := &Binary{Name: "program", image: i}
			for _, m := range []*profile.Mapping{nil, {ID: 1, Start: 0x10000, Limit: 0x20000}} {
				p := smallProfile(m, 0x10000)
				if b.Check(p) == nil {
					b.called(p.data.Location[0])
				}
			}
		})
		if used > 32<<20 {
			t.Errorf("%d bytes take %d bytes of memory", len(file), used)
		}
	})
}

// allocated returns how many bytes a function allocates, in all goroutines together.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestCrafted proves that tables in which thousands of names are the same long text take no memory for each.
func TestCrafted(t *testing.T) {
	for format, file := range craftedPrograms() {
		used := allocated(func() {
			if _, unread, err := openImage(bytes.NewReader(file), int64(len(file))); err == nil && unread == "" {
				t.Errorf("%s: the program is taken for one that can be read", format)
			}
			if info := readBuildInfo(bytes.NewReader(file)); info != nil {
				t.Errorf("%s: the program says how it was built: %v", format, info)
			}
		})
		if used > 32<<20 {
			t.Errorf("%s: %d bytes take %d bytes of memory", format, len(file), used)
		}
	}
}

// craftedPrograms returns a file in each format with thousands of names, all of which are the same long text.
func craftedPrograms() map[string][]byte {
	const count, size = 4000, 1 << 20
	written := func(parts ...any) []byte {
		var b bytes.Buffer
		for _, p := range parts {
			if err := binary.Write(&b, binary.LittleEndian, p); err != nil {
				panic(err)
			}
		}
		return b.Bytes()
	}
	name := append(bytes.Repeat([]byte("n"), size-1), 0)

	sections := make([]elf.Section64, count)
	sections[0] = elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: 64 + 64*count, Size: size}
	elfHeader := elf.Header64{Type: uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: 1, Phentsize: 56,
		Shoff: 64, Shentsize: 64, Shnum: count, Ehsize: 64}
	copy(elfHeader.Ident[:], "\x7fELF\x02\x01\x01")

	symbols := macho.SymtabCmd{Cmd: macho.LoadCmdSymtab, Symoff: 56, Nsyms: count, Stroff: 56 + 16*count, Strsize: size}
	symbols.Len = uint32(binary.Size(symbols))
	machOHeader := macho.FileHeader{Magic: macho.Magic64, Cpu: macho.CpuAmd64, Type: macho.TypeExec, Ncmd: 1,
		Cmdsz: symbols.Len}

	dos := [96]byte{'M', 'Z', 0x3c: 92}
	copy(dos[92:], "PE\x00\x00")
	long := make([]pe.COFFSymbol, count)
	for i := range long {
		long[i].Name[4] = 4 // at the beginning of the texts, after their size
	}
	peHeader := pe.FileHeader{Machine: pe.IMAGE_FILE_MACHINE_AMD64, PointerToSymbolTable: 116, NumberOfSymbols: count}
	return map[string][]byte{
		"ELF":    written(elfHeader, sections, name),
		"Mach-O": written(machOHeader, uint32(0), symbols, make([]macho.Nlist64, count), name),
		"PE":     written(dos, peHeader, long, uint32(4+size), name),
	}
}

// TestBuildInfo tests that what the linker has written about a program is found as the standard library finds it.
func TestBuildInfo(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want, err := buildinfo.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	b, err := OpenBinary(self)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got := readBuildInfo(b.file); got == nil || got.String() != want.String() {
		t.Errorf("%v, want %v", got, want)
	}
	file, err := elf.Open(self)
	if err != nil {
		return // it is of another format, which has no build ID
	}
	defer file.Close()
	if note := file.Section(".note.gnu.build-id"); note != nil {
		data, err := note.Data()
		if err != nil || b.buildID != hex.EncodeToString(data[16:]) {
			t.Errorf("build ID %q, want the end of %x, %v", b.buildID, data, err)
		}
	}
}
