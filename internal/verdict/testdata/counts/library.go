package counts

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Maps.

func MapEmpty()  { m := map[int]int{}; m[1] = 2; seven = 5 + m[1] } // on the stack with its group of 8
func MapKept()   { mapSink = map[int]int{1: 2} }                    // 2 allocs, 192 B
func MapMake()   { mapSink = make(map[int]int, 8) }                 // 1 alloc, 48 B
func MapStored() { seven = 7 + 0*known2[large]; known2[large] = 1 } // its entry exists

var known2 = map[int]int{1000: 1}

func MapGrows() {
	m := map[int]int{}
	for i := range 9 {
		m[i] = i // 3 allocs, 328 B
	}
	seven = m[7]
}

// Goroutines and channels.

func Channel()          { anySink = make(chan int, 4) } // 1 alloc, 144 B
func ChannelOfStructs() { anySink = make(chan *point) } // 1 alloc, 112 B

func Goroutine() {
	done := make(chan bool) // 1 alloc, 112 B
	n := seven
	go func() { // 1 alloc, 24 B
		done <- n > 0
	}()
	<-done
}

func GoroutineWithArguments() {
	done := make(chan bool) // 1 alloc, 112 B
	go send(done, seven)    // 1 alloc, 24 B
	<-done
}

func send(c chan bool, n int) { c <- n > 0 }

func GoroutineAllocates() {
	var wait sync.WaitGroup // 1 alloc, 16 B
	wait.Add(1)
	go func() { // 1 alloc, 16 B
		pointSink = new(point) // 1 alloc, 32 B
		wait.Done()
	}()
	wait.Wait()
}

func Select() {
	c := make(chan int, 1) // 1 alloc, 128 B
	select {
	case c <- 1:
	case <-never:
	}
}

var never chan int

func TimeAfter() { anySink = time.After(time.Hour) } // 3 allocs, 248 B

func Context() {
	ctx, cancel := context.WithCancel(context.Background()) // 2 allocs, 96 B
	cancel()
	anySink = ctx
}

// Errors and formatting.

func NewError()  { anySink = errors.New("x") }                      // 1 alloc, 16 B
func Errorf()    { anySink = fmt.Errorf("at %d", seven) }           // 2 allocs, 20 B
func Wrap()      { anySink = fmt.Errorf("at: %w", io.EOF) }         // 2 allocs, 40 B
func Sprint()    { stringSink = fmt.Sprint(text, text) }            // 3 allocs, 160 B
func Sprintf()   { stringSink = fmt.Sprintf("%d/%s", seven, text) } // 2 allocs, 96 B
func Itoa()      { stringSink = strconv.Itoa(large * large) }       // 1 alloc, 8 B
func ItoaSmall() { stringSink = strconv.Itoa(seven) }               // small ones are ready
func AppendInt() { var room [20]byte; seven = len(strconv.AppendInt(room[:0], int64(large), 10)) + 3 }
func Quote()     { stringSink = strconv.Quote(text) } // 2 allocs, 176 B

// Buffers.

func Builder() {
	var b strings.Builder
	for range 3 {
		b.WriteString(text) // 3 allocs, 448 B
	}
	stringSink = b.String()
}

func BuilderGrown() {
	var b strings.Builder
	b.Grow(200) // 1 alloc, 208 B
	for range 3 {
		b.WriteString(text)
	}
	stringSink = b.String()
}

func Buffer() {
	var b bytes.Buffer
	b.WriteString(text) // 1 alloc, 64 B
	b.WriteString(text) // 1 alloc, 128 B
	seven = b.Len() - 121
}

func BufioReader() { anySink = bufio.NewReaderSize(strings.NewReader(text), 4096) } // 3 allocs, 4224 B

func BufioScanner() {
	s := bufio.NewScanner(strings.NewReader("a\nb\n")) // 1 alloc, 32 B
	for s.Scan() {                                     // 1 alloc, 4096 B
		seven = 6 + len(s.Bytes())
	}
}

func ReadAll() {
	bytesSink, _ = io.ReadAll(strings.NewReader(text)) // 2 allocs, 544 B
}

var pool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

func Pool() {
	b := pool.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteString(short)
	pool.Put(b)
}

func PoolOfSlices() {
	b := slicePool.Get().([]byte)
	slicePool.Put(b) // 1 alloc, 24 B
}

var slicePool = sync.Pool{New: func() any { return make([]byte, 8) }}

// Strings, slices, sorting.

func Fields()     { anySink = strings.Fields("a b c") }                                        // 2 allocs, 72 B
func Split()      { seven = 4 + len(strings.Split("a,b,c", ",")) }                             // 1 alloc, 48 B
func Join()       { stringSink = strings.Join(parts, ", ") }                                   // 1 alloc, 16 B
func Repeat()     { stringSink = strings.Repeat("ab", 24) }                                    // 1 alloc, 48 B
func ToUpper()    { stringSink = strings.ToUpper(text) }                                       // 1 alloc, 64 B
func Clone()      { intsSink = slices.Clone(values) }                                          // 1 alloc, 24 B
func SortSlice()  { sort.Slice(values, func(i, j int) bool { return values[i] < values[j] }) } // 2 allocs, 56 B
func SortInts()   { slices.Sort(values) }
func SortedKeys() { intsSink = slices.Sorted(maps.Keys(known2)) } // 4 allocs, 72 B

var parts = []string{"aaaa", "bbbb", "cccc"}

// A callee's callees: more calls between the line and the allocation than the runtime's profile hands out.
func Deep() { json.Unmarshal(nested, &anySink) } // 87 allocs, 2744 B; since go1.27 119 allocs, 2544 B

var nested = []byte(strings.Repeat("[", 40) + strings.Repeat("]", 40))

func Marshal() { bytesSink, _ = json.Marshal(onePoint) } // 2 allocs, 40 B; since go1.27 3 allocs, 72 B

// Its machine, from a sync.Pool that is empty at first, is too large to be a first operation's own: all 1001 share it.
func Regexp() { anySink = word2.FindStringIndex(text) } // 2.007 allocs, 77.171 B

var word2 = regexp.MustCompile(`x+y?`)

func Stringer() { stringSink = fmt.Sprint(named(seven)) } // 1 alloc, 8 B, shared in Stringer

type named int

func (n named) String() string {
	return text[:n] + "!" // 1 alloc, 8 B, shared in Stringer
}
