package compilelink

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"path"
	"strconv"
)

// A Key is a hash of everything that a compiled package depends on.
type Key [sha256.Size]byte

// A CachingMachine is a Machine that caches archives for later builds. It may forget any of them, and need not be able
// to store one.
type CachingMachine interface {
	Machine
	// Read returns a file of the build.
	Read(name string) ([]byte, error)
	// Restore makes a cached archive a file of the build, and reports whether there was one under the key.
	Restore(key Key, name string) bool
	// Store caches an archive of the build, which nothing changes from now on.
	Store(key Key, name string)
}

// compileOnce is like compile, but if the unit is equal in many builds, and the Machine caches archives and has one of
// an equal unit, nothing is compiled.
//
// Two units are equal if their files are equal and if the packages compiled earlier in the build have equal export
// data. The compiler reads no more of an imported package, and the linker accepts object files that were compiled with
// equal export data. So most edits of a solution leave its tests equal, and an archive is what the compiler would
// write.
func (s *steps) compileOnce(ctx context.Context, u unit) {
	cache, ok := s.machine.(CachingMachine)
	if !ok || !u.once || s.err != nil || !s.result.OK {
		s.compile(ctx, u)
		return
	}
	key, ok := s.key(cache, u)
	if ok && cache.Restore(key, s.nextArchive()) {
		s.compiled(u)
		return
	}
	printed := len(s.result.Output)
	archive := s.nextArchive()
	s.compile(ctx, u)
	// A restored archive comes without output.
	if ok && s.err == nil && s.result.OK && len(s.result.Output) == printed {
		cache.Store(key, archive)
	}
}

// key returns the key of a unit. ok is false if an archive of this build cannot be read.
func (s *steps) key(cache CachingMachine, u unit) (key Key, ok bool) {
	h := sha256.New()
	add := func(parts ...[]byte) {
		for _, p := range parts {
			// The lengths keep neighboring parts apart.
			h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(p))))
			h.Write(p)
		}
	}
	t := s.toolchain
	for _, text := range []string{t.Go, t.GOOS, t.GOARCH, u.importPath, u.module, u.language, u.dir,
		strconv.Itoa(t.Concurrency)} {
		add([]byte(text))
	}
	add(t.Archives.text)
	for _, name := range u.files {
		add([]byte(name), s.files[path.Join(u.dir, name)])
	}
	for _, archive := range s.archives {
		text, err := cache.Read(archive)
		if err != nil {
			return Key{}, false
		}
		data, ok := exportData(text)
		if !ok {
			return Key{}, false
		}
		add([]byte(archive), data)
	}
	return Key(h.Sum(nil)), true
}

// An archive begins with a line, after which each member has a header of this size.
const (
	archiveMagic = "!<arch>\n"
	headerSize   = 60
	exportMember = "__.PKGDEF"
)

// exportData returns the first member of a compiled package's archive, which is its export data.
func exportData(archive []byte) (data []byte, ok bool) {
	rest, ok := bytes.CutPrefix(archive, []byte(archiveMagic))
	if !ok || len(rest) < headerSize || !bytes.HasPrefix(rest, []byte(exportMember)) {
		return nil, false
	}
	// The header has the member's size in ten decimal digits.
	size, err := strconv.Atoi(string(bytes.TrimSpace(rest[48:58])))
	if err != nil || size < 0 || size > len(rest)-headerSize {
		return nil, false
	}
	return rest[headerSize:][:size], true
}
