package main

import "testing"

func TestTotal(t *testing.T) {
	if sum := total([2]int{50, -1}); sum != 50 || longDay != nil {
		t.Errorf("%d minutes, and the long day is %v", sum, longDay)
	}
	if sum := total([2]int{300, 200}); longDay == nil || *longDay != sum {
		t.Errorf("%d minutes are no long day", sum)
	}
}
