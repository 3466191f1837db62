package main

import "testing"

func TestSend(t *testing.T) {
	send("harbor", 21)
	l := lines.Get().(*line)
	if *l != (line{}) && *l != (line{"harbor", 21}) {
		t.Errorf("the line is %v", *l)
	}
}
