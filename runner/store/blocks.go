package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/minio/highwayhash"
)

// The NATS server keeps the messages of a stream in blocks: files whose records each end with a checksum. When it reads
// a block and comes to a damaged record, it cuts the file off there, and everything that follows is lost, although it is
// whole. Blocks are therefore checked before the server sees them. The format is the one of the server's filestore.go.

const (
	recordHead  = 22      // bytes: the record's length, its number, its time, and the length of its subject
	recordSum   = 8       // bytes of its checksum
	removed     = 3 << 6  // bits of the last byte of a number, of which one is set if the message has been removed
	withHeaders = 1 << 31 // is set in a length if the message has headers

	index = "index.db" // the file with what the server knows of the blocks; it is made anew if it is not there
)

// A block is the content of a file of messages.
type block struct {
	content []byte
	sum     *highwayhash.Digest64
}

// readBlock reads the block of a stream with this number, which are part of the key of its checksums.
func readBlock(name, stream string, number int) (block, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return block{}, err
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s-%d", stream, number))
	sum, err := highwayhash.NewDigest64(key[:])
	return block{content, sum}, err
}

// record returns the length of the record that begins at a byte, or 0 if there is none that is whole.
func (b block) record(at int) int {
	content := b.content[at:]
	if len(content) < recordHead {
		return 0
	}
	length := binary.LittleEndian.Uint32(content)
	subject := int(binary.LittleEndian.Uint16(content[20:]))
	end := int(length &^ withHeaders)
	text := recordHead + subject // where the headers and the message begin
	if length&withHeaders != 0 {
		text += 4
	}
	if end > len(content) || text+recordSum > end {
		return 0
	}
	b.sum.Reset()
	b.sum.Write(content[4:20])
	b.sum.Write(content[recordHead : recordHead+subject])
	b.sum.Write(content[text : end-recordSum])
	if !bytes.Equal(b.sum.Sum(nil), content[end-recordSum:end]) {
		return 0
	}
	if content[11]&removed == 0 && !divided(content[recordHead+subject:end-recordSum], length&withHeaders != 0) {
		return 0
	}
	return end
}

// divided reports whether headers and a message, or only a message, begin where the lengths of a record say. The
// checksum is over what the record has, but over none of these lengths. Messages without headers are JSON objects.
func divided(rest []byte, headers bool) bool {
	if !headers {
		return len(rest) == 0 || rest[0] == '{'
	}
	length := binary.LittleEndian.Uint32(rest)
	rest = rest[4:]
	return int64(length) <= int64(len(rest)) && bytes.HasPrefix(rest, []byte("NATS/1.0")) &&
		bytes.HasSuffix(rest[:length], []byte("\r\n\r\n"))
}

// damaged returns the first part from a byte on that is not a record, as two positions. They are equal if all is whole.
func (b block) damaged(at int) (begin, end int) {
	for at < len(b.content) {
		length := b.record(at)
		if length == 0 {
			break
		}
		at += length
	}
	for end = at; end < len(b.content) && b.record(end) == 0; end++ {
	}
	return at, end
}

// whole returns the records of a block that are whole.
func (b block) whole() (records []byte) {
	for at := 0; at < len(b.content); {
		begin, end := b.damaged(at)
		records, at = append(records, b.content[at:begin]...), end
	}
	return records
}

// checkBlocks returns an error if a block of a stream is damaged. What a process was writing when it was killed is not
// damage: nobody was told that it is stored. It is at the end, as may be an event that was stored; the tally tells. If
// the operator has removed the tally, which is how to go on with what is left, the damaged parts are cut out instead.
func (e *embedded) checkBlocks(stream string) error {
	folder := filepath.Join(streamsIn(e.options.StoreDir), stream, "msgs")
	numbers, err := blockNumbers(folder)
	if err != nil {
		return err
	}
	// The code of last checks has no tally: nobody was told that it is kept.
	counted, giveUp := tallyOf[stream], true
	if counted != "" {
		counted = filepath.Join(e.options.StoreDir, counted)
		_, err := os.Stat(counted)
		giveUp = errors.Is(err, fs.ErrNotExist)
	}
	for i, number := range numbers {
		name := filepath.Join(folder, fmt.Sprintf("%d.blk", number))
		b, err := readBlock(name, stream, number)
		if err != nil {
			return err
		}
		begin, end := b.damaged(0)
		switch last := i == len(numbers)-1; {
		case begin == end:
			continue
		case last && end == len(b.content):
			// The server cuts this off, unless it believes its index.
			if err := os.Remove(filepath.Join(folder, index)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		case !giveUp:
			return fmt.Errorf("the files are damaged: bytes %d to %d of %s cannot be read, and nothing was changed: %s; "+
				"to continue with what is left, remove %s", begin, end, name, restore, counted)
		}
		e.log.Warn("the damaged part of a file is cut out", "file", name, "from", begin, "to", end)
		if err := e.replaceBlock(folder, name, b.whole()); err != nil {
			return fmt.Errorf("cut out the damaged part of %s: %w", name, err)
		}
	}
	return nil
}

// replaceBlock replaces a block and has the server make its index anew.
func (e *embedded) replaceBlock(folder, name string, records []byte) error {
	whole := name + ".whole"
	if err := os.WriteFile(whole, records, 0o600); err != nil {
		return err
	}
	if err := errors.Join(syncFile(whole), os.Remove(filepath.Join(folder, index))); err != nil &&
		!errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(whole, name); err != nil {
		return err
	}
	return syncDir(folder)
}

// blockNumbers returns the numbers of the blocks in a folder, the oldest first.
func blockNumbers(folder string) (numbers []int, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, entry := range entries {
		var number int
		if n, _ := fmt.Sscanf(entry.Name(), "%d.blk", &number); n == 1 &&
			entry.Name() == fmt.Sprintf("%d.blk", number) {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}
