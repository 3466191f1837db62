package counts

// Concatenations.

func ConcatTwo()     { stringSink = text + short }                            // 1 alloc, 80 B
func ConcatThree()   { stringSink = text + short + text }                     // 1 alloc, 144 B
func ConcatFive()    { stringSink = text + short + text + short + text }      // 1 alloc, 208 B
func ConcatSix()     { stringSink = text + text + text + text + text + text } // 1 alloc, 384 B
func ConcatOfEmpty() { stringSink = text + empty }                            // one of them alone is no copy
func ConcatOnStack() { seven = len(short+empty+short) - 3 }

func ConcatInLoop() {
	s := ""
	for range 4 {
		s += text // 3 allocs, 576 B
	}
	stringSink = s
}

// Conversions.

func BytesOfLong()  { bytesSink = []byte(text) }       // 1 alloc, 64 B
func BytesOfShort() { b := []byte(short); b[0] = 'x' } // on the stack
func StringOfLong() { stringSink = string(raw) }       // 1 alloc, 64 B
func StringOfByte() { stringSink = string(raw[:1]) }   // one byte is ready
func StringToCompare() {
	if string(raw) == text {
		seven = 7
	}
}                      // no copy
func StringAsKey()     { seven = 7 + known[string(raw)] }                      // no copy
func StringLongStays() { s := string(raw); raw[0] = 'x'; seven = len(s) - 57 } // 1 alloc, 64 B
func RunesOfLong()     { runeSink = []rune(text) }                             // 1 alloc, 256 B
func RunesOfShort()    { r := []rune(short); r[0] = 'x' }                      // on the stack
func StringOfRunes()   { stringSink = string(runes) }                          // 1 alloc, 80 B
func RangeOverBytes() {
	for _, b := range []byte(text) {
		seven = 7 + int(b&0)
	}
} // no copy

var known = map[string]int{}
