package reply_test

import (
	"io"
	"strings"
	"testing"

	"onthestack/exercises/exercise25"
)

func BenchmarkSend(b *testing.B) {
	sender := reply.NewSender()
	body := []byte(strings.Repeat(`{"id":"RB000000042","town":"Lund"},`, 20))
	if err := sender.Send(io.Discard, body); err != nil { // what a Sender keeps is there from now on
		b.Fatal(err)
	}

	for b.Loop() {
		if err := sender.Send(io.Discard, body); err != nil {
			b.Fatal(err)
		}
	}
}
