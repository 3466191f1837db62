package heapprofile

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"slices"
)

// An image is the part of a program's file that is needed to look up calls. Packages debug/elf, debug/macho and debug/pe
// would read all tables of the file, and copy each name: a damaged or crafted file of some megabytes can make them take
// all memory. So only their types are used here, and as many headers as a program has.
type image struct {
	file     io.ReaderAt
	arch     string // GOARCH; "" if the machine code is not known
	buildID  string // in hexadecimal digits, "" for none
	segments []segment
	starts   []uint64 // where the code of Go may begin
	table    *functionTable
	room     uint64 // bytes that may still be read to find the table
	// A mapping of a profile says with which offset in the file it begins. If byOffset is false, it begins with the
	// first byte of the program, whose address in the file is base.
	byOffset bool
	base     uint64
	placement
}

// A segment is a part of the file that is loaded into memory.
type segment struct{ address, offset, size uint64 }

// Limits on what is read of a program: how many segments and how many sections it has; the bytes of the names of its
// sections, or of the commands that load it; and the bytes of the sections that may have the table of functions,
// together. A program has some forty sections, and the table of Kubernetes' API server has 30 million bytes.
const (
	maxSegments = 256
	maxSections = 4 << 10
	maxCommands = 1 << 20
	maxTable    = 512 << 20
)

// openImage reads a program for Linux and its relatives, macOS or Windows, whose file has so many bytes. If calls
// cannot be looked up in it, unread says why. The error is errTruncated.
func openImage(file io.ReaderAt, size int64) (i *image, unread string, err error) {
	magic := make([]byte, 4)
	if _, err := file.ReadAt(magic, 0); err != nil {
		return nil, "", errTruncated
	}
	i = &image{file: file, room: maxTable}
	switch {
	case bytes.Equal(magic, []byte("\x7fELF")):
		err = i.readELF()
	case bytes.Equal(magic, []byte("\xcf\xfa\xed\xfe")):
		err = i.readMachO()
	case bytes.HasPrefix(magic, []byte("MZ")):
		err = i.readPE()
	case bytes.HasPrefix(magic, []byte("\xca\xfe\xba")):
		return nil, "it has programs for several processors: name the one that ran, which lipo -thin takes out of it", nil
	default:
		return nil, "its format is not ELF, Mach-O or PE", nil
	}
	if err != nil {
		return nil, "", errTruncated
	}
	if len(i.segments) > maxSegments {
		return nil, "", errTruncated
	}
	for _, s := range i.segments {
		if end := s.offset + s.size; end < s.offset || end > uint64(size) {
			return nil, "", errTruncated
		}
	}
	switch {
	case i.arch == "":
		return i, "only the machine code of amd64 and arm64 is known", nil
	case i.table == nil:
		return i, "it has no table of functions", nil
	}
	if i.table.written != 0 && !slices.Contains(i.starts, i.table.written) {
		i.starts = append(i.starts, i.table.written)
	}
	return i, "", nil
}

var errTruncated = errors.New("is truncated or damaged: copy it again")

// decode reads a header, or a slice of headers, at an offset in the file.
func (i *image) decode(offset uint64, header any) error {
	data, err := i.bytes(offset, uint64(binary.Size(header)))
	if err == nil {
		_, err = binary.Decode(data, binary.LittleEndian, header)
	}
	return err
}

// bytes reads a part of the file. A damaged file has less than it says, and gets no memory for the rest.
func (i *image) bytes(offset, size uint64) ([]byte, error) {
	if offset > math.MaxInt64 || size > math.MaxInt64 {
		return nil, errTruncated
	}
	data, err := io.ReadAll(io.NewSectionReader(i.file, int64(offset), int64(size)))
	if err == nil && uint64(len(data)) < size {
		err = errTruncated
	}
	return data, err
}

// readTable looks for the table of functions in a section.
func (i *image) readTable(offset, size uint64) {
	if i.table != nil || i.arch == "" || size > i.room {
		return
	}
	i.room -= size
	if data, err := i.bytes(offset, size); err == nil {
		i.table = findFunctions(data)
	}
}

func (i *image) readELF() error {
	var header elf.Header64
	if err := i.decode(0, &header); err != nil {
		return err
	}
	i.byOffset, i.buildID = true, i.gnuBuildID()
	if elf.Class(header.Ident[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(header.Ident[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil
	}
	switch elf.Machine(header.Machine) {
	case elf.EM_X86_64:
		i.arch = "amd64"
	case elf.EM_AARCH64:
		i.arch = "arm64"
	}
	if header.Phnum > maxSegments || header.Shnum > maxSections {
		return errTruncated
	}
	programs, sections := make([]elf.Prog64, header.Phnum), make([]elf.Section64, header.Shnum)
	if err := errors.Join(i.decode(header.Phoff, programs), i.decode(header.Shoff, sections)); err != nil {
		return err
	}
	for _, p := range programs {
		if elf.ProgType(p.Type) == elf.PT_LOAD {
			i.segments = append(i.segments, segment{p.Vaddr, p.Off, p.Filesz})
		}
	}
	byName, err := i.sectionsELF(sections, int(header.Shstrndx))
	if err != nil {
		return err
	}
	// The linker of C puts the table into a section with other data.
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro", ".rodata"} {
		s, ok := byName[name]
		if ok && elf.SectionType(s.Type) != elf.SHT_NOBITS && elf.SectionFlag(s.Flags)&elf.SHF_COMPRESSED == 0 {
			i.readTable(s.Off, s.Size)
		}
	}
	if text, ok := byName[".text"]; ok {
		i.starts = append(i.starts, text.Addr)
	}
	return nil
}

// sectionsELF returns sections by their names, which are in the section with an index. Of several with a name, it is the
// first one.
func (i *image) sectionsELF(sections []elf.Section64, namesAt int) (map[string]elf.Section64, error) {
	byName := map[string]elf.Section64{}
	if namesAt >= len(sections) {
		return byName, nil
	}
	names, err := i.bytes(sections[namesAt].Off, min(sections[namesAt].Size, maxCommands))
	if err != nil {
		return nil, err
	}
	for _, s := range sections {
		if int64(s.Name) >= int64(len(names)) {
			continue
		}
		const longest = 64
		name, _, _ := bytes.Cut(names[s.Name:min(len(names), int(s.Name)+longest)], []byte{0})
		if _, known := byName[string(name)]; !known {
			byName[string(name)] = s
		}
	}
	return byName, nil
}

func (i *image) readMachO() error {
	var header macho.FileHeader
	if err := i.decode(0, &header); err != nil {
		return err
	}
	switch header.Cpu {
	case macho.CpuAmd64:
		i.arch = "amd64"
	case macho.CpuArm64:
		i.arch = "arm64"
	}
	if header.Cmdsz > maxCommands {
		return errTruncated
	}
	const headerSize = 32 // with a word that is reserved
	commands, err := i.bytes(headerSize, uint64(header.Cmdsz))
	if err != nil {
		return err
	}
	var sections []macho.Section64
	for range header.Ncmd {
		if len(commands) < 8 {
			return errTruncated
		}
		command, size := macho.LoadCmd(binary.LittleEndian.Uint32(commands)), binary.LittleEndian.Uint32(commands[4:])
		if size < 8 || int64(size) > int64(len(commands)) {
			return errTruncated
		}
		if command == macho.LoadCmdSegment64 {
			found, err := i.segmentMachO(commands[:size])
			if err != nil {
				return err
			}
			sections = append(sections, found...)
		}
		commands = commands[size:]
	}
	named := func(name [16]byte, want string) bool { return string(bytes.TrimRight(name[:], "\x00")) == want }
	for _, name := range []string{"__gopclntab", "__rodata", "__const"} {
		for _, s := range sections {
			if named(s.Name, name) {
				i.readTable(uint64(s.Offset), s.Size)
			}
		}
	}
	for _, s := range sections {
		if named(s.Name, "__text") {
			i.starts = append(i.starts, s.Addr)
			break
		}
	}
	return nil
}

// segmentMachO adds the segment of a command, and returns its sections.
func (i *image) segmentMachO(command []byte) ([]macho.Section64, error) {
	var s macho.Segment64
	n, err := binary.Decode(command, binary.LittleEndian, &s)
	if err != nil {
		return nil, err
	}
	i.segments = append(i.segments, segment{s.Addr, s.Offset, s.Filesz})
	if string(bytes.TrimRight(s.Name[:], "\x00")) == "__TEXT" { // which has the header of the file too
		i.base = s.Addr
	}
	if s.Nsect > maxSections {
		return nil, errTruncated
	}
	sections := make([]macho.Section64, s.Nsect)
	_, err = binary.Decode(command[n:], binary.LittleEndian, sections)
	return sections, err
}

func (i *image) readPE() error {
	const signatureAt = 0x3c // where the beginning of the file says where the signature is
	var at uint32
	signature := [4]byte{}
	if err := i.decode(signatureAt, &at); err != nil {
		return err
	}
	if err := i.decode(uint64(at), &signature); err != nil || string(signature[:]) != "PE\x00\x00" {
		return errTruncated
	}
	var header pe.FileHeader
	var optional pe.OptionalHeader64
	headerAt := uint64(at) + uint64(len(signature))
	optionalAt := headerAt + uint64(binary.Size(header))
	if err := i.decode(headerAt, &header); err != nil {
		return err
	}
	if int(header.SizeOfOptionalHeader) < binary.Size(optional) {
		return nil // of a processor with 32 bits
	}
	if header.NumberOfSections > maxSegments {
		return errTruncated
	}
	sections := make([]pe.SectionHeader32, header.NumberOfSections)
	sectionsAt := optionalAt + uint64(header.SizeOfOptionalHeader)
	if err := errors.Join(i.decode(optionalAt, &optional), i.decode(sectionsAt, sections)); err != nil {
		return err
	}
	const magic64 = 0x20b
	if optional.Magic != magic64 {
		return nil
	}
	i.base = optional.ImageBase
	switch header.Machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		i.arch = "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		i.arch = "arm64"
	}
	for _, s := range sections {
		i.segments = append(i.segments, segment{i.base + uint64(s.VirtualAddress), uint64(s.PointerToRawData),
			uint64(min(s.SizeOfRawData, s.VirtualSize))})
		if s.Characteristics&pe.IMAGE_SCN_CNT_INITIALIZED_DATA != 0 { // the table has no section of its own
			i.readTable(uint64(s.PointerToRawData), uint64(s.SizeOfRawData))
		}
		if string(bytes.TrimRight(s.Name[:], "\x00")) == ".text" {
			i.starts = append(i.starts, i.base+uint64(s.VirtualAddress))
		}
	}
	return nil
}

// gnuBuildID returns the build ID that the linker writes since Go 1.24, and that a profile names. It is in a note near the
// beginning: the sizes of the note's name and of its value, its type, its name, its value.
func (i *image) gnuBuildID() string {
	const searched, most = 64 << 10, 64 // bytes
	begin := make([]byte, searched)
	n, _ := i.file.ReadAt(begin, 0) // the file may be smaller
	at := bytes.Index(begin[:n], []byte("\x03\x00\x00\x00GNU\x00"))
	if at < 8 {
		return ""
	}
	size, value := binary.LittleEndian.Uint32(begin[at-4:]), begin[at+8:n]
	if size > most || int(size) > len(value) {
		return ""
	}
	return hex.EncodeToString(value[:size])
}
