package heapprofile

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/hex"
	"errors"
	"io"
	"slices"
)

// An image is the part of a program's file that is needed to look up calls.
type image struct {
	arch     string // GOARCH; "" if the machine code is not known
	buildID  string // in hexadecimal digits, "" for none
	segments []segment
	starts   []uint64 // where the code of Go may begin
	table    *functionTable
	// A mapping of a profile says with which offset in the file it begins. If byOffset is false, it begins with the
	// first byte of the program, whose address in the file is base.
	byOffset bool
	base     uint64
	placement
}

// A segment is a part of the file that is loaded into memory.
type segment struct {
	address, offset, size uint64
	data                  io.ReaderAt
}

// maxTable bounds a section that may have the table of functions, in bytes. The table of Kubernetes' API server has 30
// million.
const maxTable = 512 << 20

// openImage reads a program for Linux and its relatives, macOS or Windows, whose file has so many bytes. If calls
// cannot be looked up in it, unread says why. The error is errTruncated.
func openImage(file io.ReaderAt, size int64) (i *image, unread string, err error) {
	magic := make([]byte, 4)
	if _, err := file.ReadAt(magic, 0); err != nil {
		return nil, "", errTruncated
	}
	i = &image{}
	switch {
	case bytes.Equal(magic, []byte("\x7fELF")):
		err = i.readELF(file)
	case bytes.Equal(magic, []byte("\xcf\xfa\xed\xfe")):
		err = i.readMachO(file)
	case bytes.HasPrefix(magic, []byte("MZ")):
		err = i.readPE(file)
	case bytes.HasPrefix(magic, []byte("\xca\xfe\xba")):
		return nil, "it has programs for several processors: name the one that ran, which lipo -thin takes out of it", nil
	default:
		return nil, "its format is not ELF, Mach-O or PE", nil
	}
	if err != nil {
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

// readTable looks for the table of functions in a section.
func (i *image) readTable(r io.ReaderAt, size uint64) {
	if i.table != nil || i.arch == "" || size > maxTable {
		return
	}
	// A damaged file has less than the section's size, and gets no memory for the rest.
	if data, err := io.ReadAll(io.NewSectionReader(r, 0, int64(size))); err == nil {
		i.table = findFunctions(data)
	}
}

func (i *image) readELF(r io.ReaderAt) error {
	file, err := elf.NewFile(r)
	if err != nil {
		return err
	}
	i.byOffset, i.buildID = true, gnuBuildID(file)
	switch {
	case file.Class != elf.ELFCLASS64 || file.Data != elf.ELFDATA2LSB:
	case file.Machine == elf.EM_X86_64:
		i.arch = "amd64"
	case file.Machine == elf.EM_AARCH64:
		i.arch = "arm64"
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_LOAD {
			i.segments = append(i.segments, segment{p.Vaddr, p.Off, p.Filesz, p})
		}
	}
	// The linker of C puts the table into a section with other data.
	for _, name := range []string{".gopclntab", ".data.rel.ro.gopclntab", ".data.rel.ro", ".rodata"} {
		if s := file.Section(name); s != nil && s.Type != elf.SHT_NOBITS && s.Flags&elf.SHF_COMPRESSED == 0 {
			i.readTable(s, s.Size)
		}
	}
	if text := file.Section(".text"); text != nil {
		i.starts = append(i.starts, text.Addr)
	}
	return nil
}

func (i *image) readMachO(r io.ReaderAt) error {
	file, err := macho.NewFile(r)
	if err != nil {
		return err
	}
	switch file.Cpu {
	case macho.CpuAmd64:
		i.arch = "amd64"
	case macho.CpuArm64:
		i.arch = "arm64"
	}
	for _, l := range file.Loads {
		if s, ok := l.(*macho.Segment); ok {
			i.segments = append(i.segments, segment{s.Addr, s.Offset, s.Filesz, s})
			if s.Name == "__TEXT" { // which has the header of the file too
				i.base = s.Addr
			}
		}
	}
	for _, name := range []string{"__gopclntab", "__rodata", "__const"} {
		for _, s := range file.Sections {
			if s.Name == name {
				i.readTable(s, s.Size)
			}
		}
	}
	if text := file.Section("__text"); text != nil {
		i.starts = append(i.starts, text.Addr)
	}
	return nil
}

func (i *image) readPE(r io.ReaderAt) error {
	file, err := pe.NewFile(r)
	if err != nil {
		return err
	}
	header, ok := file.OptionalHeader.(*pe.OptionalHeader64)
	if !ok { // of a processor with 32 bits
		return nil
	}
	i.base = header.ImageBase
	switch file.Machine {
	case pe.IMAGE_FILE_MACHINE_AMD64:
		i.arch = "amd64"
	case pe.IMAGE_FILE_MACHINE_ARM64:
		i.arch = "arm64"
	}
	for _, s := range file.Sections {
		size := uint64(min(s.Size, s.VirtualSize))
		i.segments = append(i.segments, segment{i.base + uint64(s.VirtualAddress), uint64(s.Offset), size, s})
	}
	for _, s := range file.Sections { // the table has no section of its own
		if s.Characteristics&pe.IMAGE_SCN_CNT_INITIALIZED_DATA != 0 {
			i.readTable(s, uint64(s.Size))
		}
	}
	if text := file.Section(".text"); text != nil {
		i.starts = append(i.starts, i.base+uint64(text.VirtualAddress))
	}
	return nil
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
