package site

import (
	"archive/zip"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

const packedSuffix = ".gz"

// WriteArchive writes the files of a built site as an archive in one file, which a program can embed. It leaves out the
// copies for Brotli: over plain http, as in most classrooms, browsers accept gzip alone.
//
// The archive is a zip file whose members are stored as they are. A file that the build has compressed is there only as
// its copy NAME.gz, which the server sends to browsers as it is; for other clients, reading NAME decompresses it. So
// the archive has a sixth of the site's size.
func WriteArchive(w io.Writer, built fs.FS) error {
	out := zip.NewWriter(w)
	err := fs.WalkDir(built, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) == ".br" {
			return err
		}
		if _, err := fs.Stat(built, name+packedSuffix); err == nil {
			return nil // the copy is in the archive
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return addMember(out, built, name)
	})
	return errors.Join(err, out.Close())
}

func addMember(out *zip.Writer, built fs.FS, name string) error {
	text, err := fs.ReadFile(built, name)
	if err != nil {
		return err
	}
	info, err := fs.Stat(built, name)
	if err != nil {
		return err
	}
	// The time is part of the ETag.
	member, err := out.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: info.ModTime()})
	if err == nil {
		_, err = member.Write(text)
	}
	return err
}

// An archive has the files of an archived site. They are io.ReadSeekers.
type archive struct {
	zip     *zip.Reader
	text    io.ReaderAt
	members map[string]*zip.File
}

// OpenArchive returns the files of a site in an archive that WriteArchive has written.
func OpenArchive(text string) (fs.FS, error) {
	r, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, fmt.Errorf("the archive of the site: %w", err)
	}
	a := &archive{r, strings.NewReader(text), map[string]*zip.File{}}
	for _, member := range r.File {
		if member.Method != zip.Store {
			return nil, fmt.Errorf("the archive of the site: %s is compressed: build it anew with \"make dist\"",
				member.Name)
		}
		a.members[member.Name] = member
	}
	return a, nil
}

func (a *archive) Open(name string) (fs.File, error) {
	member, packed := a.members[name], false
	if member == nil {
		member, packed = a.members[name+packedSuffix], true
	}
	if member == nil {
		return a.zip.Open(name) // a folder, or an error
	}
	offset, err := member.DataOffset()
	content := io.NewSectionReader(a.text, offset, int64(member.UncompressedSize64))
	file := &archivedFile{content, member.FileInfo()}
	if err == nil && packed {
		var plain *unpacked
		if plain, err = newUnpacked(content); err == nil {
			file = &archivedFile{plain, plainInfo{file.info, path.Base(name), plain.size}}
		}
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return file, nil
}

type archivedFile struct {
	io.ReadSeeker
	info fs.FileInfo
}

func (f *archivedFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *archivedFile) Close() error               { return nil }

// A plainInfo describes a file of which the archive has only the compressed copy.
type plainInfo struct {
	fs.FileInfo
	name string
	size int64
}

func (i plainInfo) Name() string { return i.name }
func (i plainInfo) Size() int64  { return i.size }

// An unpacked reads the content of a gzip file. It keeps no more than the decompressor's window in memory, because a
// client may ask for many large files at once.
type unpacked struct {
	packed *io.SectionReader
	size   int64 // of the content
	at     int64 // where the next Read begins
	reader *gzip.Reader
	read   int64 // the bytes that reader has returned
}

func newUnpacked(packed *io.SectionReader) (*unpacked, error) {
	// A gzip file ends with the size of its content, modulo 2^32 (RFC 1952, section 2.3.1).
	var size [4]byte
	if packed.Size() < int64(len(size)) {
		return nil, io.ErrUnexpectedEOF
	}
	if _, err := packed.ReadAt(size[:], packed.Size()-int64(len(size))); err != nil {
		return nil, err
	}
	return &unpacked{packed: packed, size: int64(binary.LittleEndian.Uint32(size[:]))}, nil
}

func (u *unpacked) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += u.at
	case io.SeekEnd:
		offset += u.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a file")
	}
	u.at = offset
	return offset, nil
}

func (u *unpacked) Read(p []byte) (int, error) {
	if u.at >= u.size {
		return 0, io.EOF
	}
	if u.reader == nil || u.at < u.read {
		whole := io.NewSectionReader(u.packed, 0, u.packed.Size())
		reader, err := gzip.NewReader(whole)
		if err != nil {
			return 0, err
		}
		u.reader, u.read = reader, 0
	}
	skipped, err := io.CopyN(io.Discard, u.reader, u.at-u.read)
	u.read += skipped
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return 0, err
	}
	n, err := u.reader.Read(p)
	u.read += int64(n)
	u.at = u.read
	return n, err
}
