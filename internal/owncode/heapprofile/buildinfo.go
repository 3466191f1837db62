package heapprofile

import (
	"bytes"
	"encoding/binary"
	"io"
	"runtime/debug"
	"strings"
)

// What the linker writes about a build since Go 1.18 is a header at an aligned address, which begins with the magic text,
// and then the release of Go and the settings, each after its length. Marks are around the settings. The numbers are in
// bytes.
const (
	infoMagic   = "\xff Go buildinf:"
	infoAlign   = 16
	infoFlagsAt = 15 // in the header
	infoHeader  = 32
	infoInline  = 2 // the flag for texts that follow
	infoMark    = 16
)

// Limits on the search for it, in bytes: of the part of the file that is searched, and of each text.
const (
	maxSearched = 4 << 30
	maxInfo     = 1 << 20
)

// readBuildInfo returns what the linker has written about the build of a program of Go 1.18 or later, nil if there is
// nothing. Package debug/buildinfo finds it by package debug/elf and others: see image.
func readBuildInfo(file io.ReaderAt) *debug.BuildInfo {
	const step = 1 << 20
	chunk := make([]byte, step+infoHeader) // a header may begin in one chunk and end in the next
	for offset := int64(0); offset < maxSearched; offset += step {
		n, err := file.ReadAt(chunk, offset)
		for at := 0; ; at++ {
			found := bytes.Index(chunk[at:n], []byte(infoMagic))
			if found < 0 {
				break
			}
			if at += found; at%infoAlign == 0 && at+infoHeader <= n && chunk[at+infoFlagsAt]&infoInline != 0 {
				if info := buildInfoAt(file, offset+int64(at)+infoHeader); info != nil {
					return info
				}
			}
		}
		if err != nil {
			return nil
		}
	}
	return nil
}

// buildInfoAt returns the information whose texts begin at an offset, nil if there are none: programs that look for it
// have the magic text among their constants.
func buildInfoAt(file io.ReaderAt, offset int64) *debug.BuildInfo {
	release, offset, ok := lengthAndText(file, offset)
	if !ok || !strings.HasPrefix(release, "go") && !strings.HasPrefix(release, "devel") {
		return nil
	}
	settings, _, ok := lengthAndText(file, offset)
	if !ok {
		return nil
	}
	if len(settings) <= 2*infoMark || settings[len(settings)-infoMark-1] != '\n' {
		settings = "" // it was not built in a module
	} else {
		settings = settings[infoMark : len(settings)-infoMark]
	}
	info, err := debug.ParseBuildInfo(settings)
	if err != nil {
		return nil
	}
	info.GoVersion = release
	return info
}

// lengthAndText reads a text that follows its length, and returns the offset after it.
func lengthAndText(file io.ReaderAt, offset int64) (text string, after int64, ok bool) {
	length := make([]byte, binary.MaxVarintLen64)
	read, _ := file.ReadAt(length, offset) // the file may end within the next bytes
	size, n := binary.Uvarint(length[:read])
	if n <= 0 || size > maxInfo {
		return "", 0, false
	}
	data := make([]byte, size)
	if _, err := file.ReadAt(data, offset+int64(n)); err != nil {
		return "", 0, false
	}
	return string(data), offset + int64(n) + int64(size), true
}
