package heapprofile

import (
	"bytes"
	"encoding/binary"
	"sort"
)

// A functionTable is the table of functions that the linker writes since Go 1.18. The runtime needs it, so that
// stripped programs have it too. Its addresses are relative to the beginning of Go's code. Package debug/gosym would
// copy the names of all functions, which can take the square of the size of a damaged table.
type functionTable struct {
	count   int
	index   []byte // for each function its address, and the offset in data of what is known of it
	data    []byte
	names   []byte // each ends with a zero byte
	written uint64 // the address at which the code begins, 0 if the linker has not written it, as since Go 1.26
}

// Sizes in bytes: of the table's beginning, of a number there, of an entry of the index, and of the longest name that
// is read. Data is taken for a table if its first functions, as many as probed, make sense.
const (
	tableHeader = 8
	wordSize    = 8
	minTable    = tableHeader + 8*wordSize
	indexEntry  = 8
	maxName     = 64 << 10
	probed      = 64
	maxTried    = 10_000 // places that begin as a table does
)

// tableMagic has the beginnings of the table since Go 1.20 and since Go 1.18, for processors that store the lowest byte
// first.
var tableMagic = [][]byte{{0xf1, 0xff, 0xff, 0xff, 0, 0}, {0xf0, 0xff, 0xff, 0xff, 0, 0}}

// findFunctions returns the first table of functions in the data of a section, nil if there is none.
func findFunctions(section []byte) *functionTable {
	for _, magic := range tableMagic {
		rest := section
		for range maxTried {
			at := bytes.Index(rest, magic)
			if at < 0 {
				break
			}
			rest = rest[at:]
			if t := newFunctionTable(rest); t != nil {
				return t
			}
			rest = rest[1:]
		}
	}
	return nil
}

// newFunctionTable returns the table with which data begins, nil if it is none.
func newFunctionTable(data []byte) *functionTable {
	if len(data) < minTable || data[6] != 1 && data[6] != 4 || data[7] != wordSize {
		return nil // other processors
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(data[tableHeader+wordSize*i:]) }
	count, names, functions := word(0), word(3), word(7)
	size := uint64(len(data))
	if names >= size || functions >= size || count == 0 || count >= (size-functions)/indexEntry {
		return nil
	}
	t := &functionTable{count: int(count), data: data[functions:], names: data[names:], written: word(2)}
	t.index = t.data[:indexEntry*(t.count+1)]
	for i := range min(t.count, probed) {
		if t.entry(i) > t.entry(i+1) || t.name(i) == nil {
			return nil
		}
	}
	return t
}

// entry returns the address at which a function begins. The one after the last function is the end of the code.
func (t *functionTable) entry(i int) uint64 {
	return uint64(binary.LittleEndian.Uint32(t.index[indexEntry*i:]))
}

// name returns the name of a function, nil if the table is damaged.
func (t *functionTable) name(i int) []byte {
	at := uint64(binary.LittleEndian.Uint32(t.index[indexEntry*i+4:]))
	if at+8 > uint64(len(t.data)) {
		return nil
	}
	from := uint64(binary.LittleEndian.Uint32(t.data[at+4:])) // after the address
	if from >= uint64(len(t.names)) {
		return nil
	}
	name := t.names[from:min(uint64(len(t.names)), from+maxName)]
	end := bytes.IndexByte(name, 0)
	if end <= 0 {
		return nil
	}
	return name[:end]
}

// at returns the function in which an address is.
func (t *functionTable) at(address uint64) (i int, ok bool) {
	i = sort.Search(t.count, func(i int) bool { return t.entry(i) > address }) - 1
	return i, i >= 0 && address < t.entry(i+1)
}
