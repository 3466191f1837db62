package heapprofile

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"
)

// frameLine matches a frame in the text form: "#	0x48d3fe	main.f+0x1d	/src/f.go:12". The runtime writes it as a comment
// below the addresses of a stack, and leaves out its own functions at the end of the stack.
var frameLine = regexp.MustCompile(`^#\t+0x([0-9a-f]+)\t+([^\t]+)\+0x[0-9a-f]+\t+([^\t]+):([0-9]+)$`)

// endOfText is near the end of each text: what follows the stacks.
const endOfText = "\n# runtime.MemStats"

// parseText parses the text that debug=1 asks for. Package profile reads the stacks as addresses, and the comments have
// the names.
func parseText(text []byte) (*profile.Profile, error) {
	if len(text) > maxText {
		return nil, inputErrorf("has more than %d MiB, more than is read of a text: fetch it without debug=1", maxText>>20)
	}
	p, err := profile.ParseData(text)
	if err != nil {
		return nil, inputErrorf("is damaged: %v; fetch it again, best without debug=1", err)
	}
	if !bytes.Contains(text, []byte(endOfText)) {
		return nil, inputErrorf("is truncated: its end is missing; fetch it again, best without debug=1")
	}
	frames := map[uint64]profile.Line{}
	functions := map[string]*profile.Function{}
	for line := range strings.Lines(string(text)) {
		m := frameLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		address, err := strconv.ParseUint(m[1], 16, 64)
		number, tooLarge := strconv.ParseInt(m[4], 10, 32)
		if err != nil || tooLarge != nil {
			continue
		}
		key := m[2] + "\n" + m[3]
		if functions[key] == nil {
			f := &profile.Function{ID: uint64(len(functions) + 1), Name: m[2], SystemName: m[2], Filename: m[3]}
			functions[key] = f
			p.Function = append(p.Function, f)
		}
		frames[address] = profile.Line{Function: functions[key], Line: number}
	}
	for _, l := range p.Location {
		if frame, ok := frames[l.Address]; ok && len(l.Line) == 0 {
			l.Line = []profile.Line{frame}
		}
	}
	return p, nil
}
