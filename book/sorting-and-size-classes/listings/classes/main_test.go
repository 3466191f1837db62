package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var sink []byte

// The drawing agrees with the heap: append grows a slice to the end of its slot.
func TestClasses(t *testing.T) {
	smallest := 1
	for _, size := range classes() {
		for _, asked := range []int{smallest, size} {
			sink = append([]byte(nil), make([]byte, asked)...)
			if got := cap(sink); got != size {
				t.Errorf("%d bytes get %d, but the class is %d", asked, got, size)
			}
		}
		smallest = size + 1
	}
	if smallest != 32<<10+1 {
		t.Errorf("the largest class is %d, want 32 KiB", smallest-1)
	}
}

// The last class is the only one that its objects do not fill: see malloc.go in package runtime. The page says how
// large they are.
func TestLargest(t *testing.T) {
	page, err := os.ReadFile("../../table.md")
	if err != nil {
		t.Fatal(err)
	}
	var largest int
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(page), ",", "")), " ")
	_, after, _ := strings.Cut(text, "any object of more than [")
	if _, err := fmt.Sscanf(after, "%d bytes]", &largest); err != nil {
		t.Fatal("the page does not say which objects get whole pages: ", err)
	}
	for _, size := range classes() {
		want := size
		if size == 32<<10 {
			want = largest
		}
		if got := largestIn(size); got != want {
			t.Errorf("the largest object in a slot of %d has %d bytes, want %d", size, got, want)
		}
	}
}

// MemStats knows the first sixty of them.
func TestBySize(t *testing.T) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	var bySize []int
	for _, class := range stats.BySize[1:] {
		bySize = append(bySize, int(class.Size))
	}
	if got := classes()[:len(bySize)]; !slices.Equal(got, bySize) {
		t.Errorf("the histogram has %v\nMemStats has   %v", got, bySize)
	}
}

// The drawing in the book is of the classes up to 128 bytes: four units across for each
// byte asked for, two up for each byte given.
func TestDrawing(t *testing.T) {
	drawing, err := os.ReadFile("../../staircase.svg")
	if err != nil {
		t.Fatal(err)
	}
	stair := "M80 300"
	for _, size := range classes() {
		if size <= 128 {
			stair += fmt.Sprintf("V%dH%d", 300-2*size, 80+4*size)
		}
	}
	if !strings.Contains(string(drawing), `d="`+stair+`"`) {
		t.Errorf("staircase.svg has not the size classes of %s: its path should be %s", runtime.Version(), stair)
	}
}
